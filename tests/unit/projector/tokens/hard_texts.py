"""39 texts on which tokenizers were seen to differ, and seeded strings made of the same matter. Same texts on every machine."""

import base64
import json
import random
from collections.abc import Iterator

_RNG = random.Random(20261130)
_SPEC = {
    "openapi": "3.1.0",
    "paths": {
        f"/orders/{{id}}/{name}": {
            "get": {
                "operationId": f"get_{name}",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100 + n}}],
                "responses": {"200": {"description": "Größe der Bestellung"}, "4XX": {"$ref": "#/components/responses/Problem"}},
            }
        }
        for n, name in enumerate(("items", "events", "refunds", "audit_log"))
    },
}
_CODE = """
def cut(text: str, *, n: int = 0x1F) -> tuple[str, ...]:
    \"\"\"Don't: it's `text[:n]`, isn't it?\"\"\"
\tif not text or n <= 0:  # TODO(ana): 3.14e-10
        return ()
    return tuple(f"{one!r:>{n}}" for one in text.split("\\n") if one != "" and one[0] not in "#\\\\")
"""


def _chars(first: int, last: int, step: int = 1) -> str:
    return "".join(chr(code) for code in range(first, last + 1, step) if not 0xD800 <= code <= 0xDFFF)


def _picked(alphabet: str, n: int) -> str:
    return "".join(_RNG.choice(alphabet) for _ in range(n))


def _log(n: int) -> str:
    lines = (
        f"2026-11-30 08:{i % 60:02}:{i * 7 % 60:02},{i * 37 % 1000:03} ERROR [worker-{i}] io.x.Y: took {i * 1.37:.3f} ms (0x{i * 99991:x})"
        for i in range(n)
    )
    return "\n".join(lines) + "\n"


HARD_TEXTS: dict[str, str] = {
    "english": "The store keeps every tool output whole; the model reads packets. Isn't that what we'd WANT? They've said it'll do.\n" * 20,
    "chinese simplified": "数据库连接失败:超时三十秒后重试,请检查网络配置。日志文件保存在服务器上," * 12,
    "chinese traditional": "資料庫連線失敗,請檢查網路設定;記錄檔保存於伺服器。" * 12,
    "chinese with code": "调用 `GET /v1/orders/{id}` 返回 404,参数limit=100超出范围(最大50)。\n" * 12,
    "japanese": "データベース接続に失敗しました。ログファイルをご確認ください。カタカナとひらがな、漢字。" * 10,
    "korean": "데이터베이스 연결에 실패했습니다. 로그 파일을 확인해 주세요. " * 10,
    "russian": "Не удалось подключиться к базе данных: превышено время ожидания. Проверьте журнал.\n" * 10,
    "greek": "Η σύνδεση με τη βάση δεδομένων απέτυχε. Ελέγξτε το αρχείο καταγραφής ΣΊΣΥΦΟΣ σίσυφος.\n" * 10,
    "german": "Die Größenbeschränkung der Rückerstattungsübersicht überschreitet den Schwellenwert. STRASSE, Straße.\n" * 10,
    "vietnamese": "Không thể kết nối cơ sở dữ liệu. Vui lòng kiểm tra tệp nhật ký và thử lại.\n" * 10,
    "vietnamese decomposed": "Kho\u0302ng the\u0302\u0309 ke\u0302\u0301t no\u0302\u0301i co\u031b so\u031b\u0309 du\u031b\u0303.\n" * 10,
    "arabic and hebrew": "فشل الاتصال بقاعدة البيانات ١٢٣٤. החיבור למסד הנתונים נכשל.\n" * 10,
    "hindi and tamil": "डेटाबेस से कनेक्ट नहीं हो सका। தரவுத்தளத்துடன் இணைக்க முடியவில்லை.\n" * 10,
    "thai, lao, khmer": "ไม่สามารถเชื่อมต่อกับฐานข้อมูล ບໍ່ສາມາດ មិនអាចភ្ជាប់\n" * 10,
    "spec, pretty": json.dumps(_SPEC, indent=2, ensure_ascii=False),
    "spec, minified": json.dumps(_SPEC, separators=(",", ":"), ensure_ascii=False),
    "spec, escaped": json.dumps(json.dumps(_SPEC, indent=1)),
    "yaml": "paths:\n" + "".join(f"  /p{n}:\n    get:\n      - $ref: '#/x~1y/{n}'\n\n" for n in range(40)),
    "python": _CODE * 10,
    "minified script": 'function a(b){return!b||c(b)?[]:d.e(f=>f.g&&f.g!=="h"?i(f):{...f,j:`${k}`})}var l=/[^\\]]+/gi;' * 10,
    "log": _log(60),
    "log with colours": "".join(f"\x1b[3{n % 8};1m{n:>4} passed\x1b[0m \x1b[K\r\n" for n in range(60)),
    "digits": "\n".join(",".join(str(_RNG.randrange(10**n)) for n in range(1, 15)) for _ in range(40)),
    "hex": "\n".join(_picked("0123456789abcdef", 64) for _ in range(40)),
    "base64": base64.b64encode(_RNG.randbytes(3_000)).decode(),
    "identifiers": " ".join(f"{_picked('abcdef', 5)}{_picked('ABCDEF', 3)}_{n}-{_picked('0123456789', 4)}" for n in range(200)),
    "emoji": "😀👍🏽👩\u200d👩\u200d👧🏳️\u200d🌈🇩🇪🇫🇷❤️1️⃣🫱🏿\u200d🫲🏻" * 20,
    "special tokens": "<|endoftext|><|fim_prefix|> <|im_start|>system<|im_end|>\n<|endofprompt|><|return|>" * 10,
    "white space, mixed": _picked(" \t\n\r\u00a0\u2003\u3000\u2028\x0b\x0c\x85", 2_000),
    "white space, in code": "".join(f"{' ' * (n % 17)}x{chr(9) * (n % 5)}{chr(10) * (n % 4)}" for n in range(300)),
    "line ends, mixed": "a\r\nb\n\rc\r\r\nd\n \n\r\n  e /\n//\r\n/\n" * 40,
    "runs": " " * 10_000 + "x" + "\n" * 3_000 + "-" * 3_000 + "a" * 3_000 + "7" * 3_001 + "é" * 1_000 + "日" * 1_000,
    "basic plane": _chars(1, 0xFFFF, 7),
    "planes above": _chars(0x10000, 0x1FFFF, 61) + _chars(0x20000, 0x2A6DF, 997),
    "random Unicode": "".join(chr(_RNG.choice((_RNG.randrange(0xD800), _RNG.randrange(0xE000, 0x30000)))) for _ in range(2_000)),
    "new scripts": _chars(0x10D40, 0x10D65) + _chars(0x16100, 0x16139) + _chars(0x1E5D0, 0x1E5FA) + _chars(0x105C0, 0x105F3),
    "controls": _chars(0, 0x1F) * 5 + _chars(0x7F, 0x9F) * 5 + "\ufeff\ufffe\uffff\u00ad",
    "bidi": "\u202eabc\u202c \u2066שלום 123\u2069 \u200fا\u200e \U000e0041\U000e007f" * 20,
    "contractions": "I'M you'Re IT'S we'Ll he'D don'T 'sam 'Twas l'été d’accord ’S ſ'ſ K'K" * 20,
}

REPEATED_TEXTS: dict[str, str] = {
    **{f"repeated {char!r}": char * 1_000 for char in (" ", "\n", "\t", "\r\n", *"-=_*.#ax0é日·─█")},
    "columns": ("x" + " " * 8) * 100,
    "deep indentation": ("x\n" + " " * 40) * 40,
    "very deep indentation": ("x\n" + " " * 100) * 20,
    "lines of dashes": ("-" * 80 + "\n") * 20,
    "lines of equals signs": ("=" * 80 + "\n") * 20,
    "line ends of two kinds": "a\r\n\n" * 100,
    "log with line ends of two characters": "one line of a log, 42 ms\r\n" * 50,
    "progress": "".join(f"\r[{'█' * n}{' ' * (40 - n)}] {n * 100 // 40}%" for n in range(40)),
}
"""Where families differ the most: what one of them has long tokens for."""

_SCRAPS = (
    "<|endoftext|>", "\r\n", "   ", "\t", "\n\n", "e\u0301", "👩\u200d👧", "日志", "\\n", "-" * 9, "x" * 33, "'Ll", "'s", "123456",
    "७", "Ⅷ", "½", "/", "//\n", "},{", '":"', "\u3000", "\u00a0", "Größe", "ДАННЫЕ", "ſ", "İ", "\x1b[0m", "\U0001d54f", "\ufffd",
    "한글", "ำ", "़",
)  # fmt: skip


def iter_fuzz(n: int, seed: int) -> Iterator[str]:
    """Strings of scraps and single characters of all planes, of 0 to some hundred characters; one in fifty has some thousand."""
    rng = random.Random(seed)
    for number in range(n):
        size = rng.randrange(30) * (20 if number % 50 == 0 else 1)
        yield "".join(_scrap(rng) for _ in range(size))


def _scrap(rng: random.Random) -> str:
    kind = rng.randrange(8)
    if kind < 3:
        return rng.choice(_SCRAPS)
    if kind < 6:
        return "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(1, 8)))
    code = rng.randrange((0x300, 0x3000, 0x10000, 0x30000)[rng.randrange(4)])
    return " " if 0xD800 <= code <= 0xDFFF else chr(code)
