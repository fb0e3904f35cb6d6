"""Messages of JSON-RPC as the proxy makes them. The SDK writes only the fields that are given, so none is given that is absent."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import mcp_types as types
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

Json: TypeAlias = dict[str, Any]
Message: TypeAlias = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError
Answer: TypeAlias = JSONRPCResponse | JSONRPCError


def request(id_: RequestId, method: str, params: Mapping[str, Any] | None) -> JSONRPCRequest:
    if params is None:
        return JSONRPCRequest(jsonrpc="2.0", id=id_, method=method)
    return JSONRPCRequest(jsonrpc="2.0", id=id_, method=method, params=dict(params))


def notification(method: str, params: Mapping[str, Any] | None = None) -> JSONRPCNotification:
    if params is None:
        return JSONRPCNotification(jsonrpc="2.0", method=method)
    return JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params))


def response(id_: RequestId, result: Json) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=id_, result=result)


def error(id_: RequestId, message: str, code: int = types.INTERNAL_ERROR, data: Any = None) -> JSONRPCError:
    fault = {"code": code, "message": message} if data is None else {"code": code, "message": message, "data": data}
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData.model_validate(fault))


def readdressed(answer: Answer, id_: RequestId) -> Answer:
    """The same answer to another request."""
    return answer.model_copy(update={"id": id_})
