"""The MCP door: the tools of `api.tools` and what is stored, for any client of the Model Context Protocol (docs/mcp.md).

Both protocol eras (2026-07-28, and the handshake era up to 2025-11-25), over stdio and streamable HTTP. Needs the extra `mcp`; nothing else
in the packages imports it.
"""
