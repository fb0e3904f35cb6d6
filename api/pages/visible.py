"""Characters that people do not see but that change what they see, made visible.

Controls become their symbols (U+2400), marks and overrides of writing direction `<U+202E>`, half surrogate pairs U+FFFD. Tab
and line feed stay.
"""

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
_STEERING = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0x80, 0xA0))
_HALVES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_TABLE = _CONTROLS | {0x7F: "\u2421"} | {code: f"<U+{code:04X}>" for code in _STEERING} | _HALVES


def visible(text: str) -> str:
    return text if text.isascii() and text.isprintable() else text.translate(_TABLE)
