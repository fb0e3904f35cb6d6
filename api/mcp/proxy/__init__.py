"""A proxy before one MCP server: what the client says goes to that server and back as it is, and results over a budget are offloaded.

Towards the client it is a server over stdio, towards the upstream a client over stdio or streamable HTTP (docs/mcp-wrap.md). Messages are
passed on as JSON-RPC, not rebuilt from types: what the SDK does not know of passes, too.
"""
