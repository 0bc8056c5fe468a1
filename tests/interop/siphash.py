# sketchutils: BSD-2-Clause, see LICENSE
"""SipHash-2-4 in plain Python, from its authors' paper: slow, and shares nothing with ours."""

MASK = (1 << 64) - 1


def rotate(x, n):
    return (x << n | x >> 64 - n) & MASK


def rounds(v, n):
    a, b, c, d = v
    for _ in range(n):
        a = a + b & MASK
        b = rotate(b, 13) ^ a
        a = rotate(a, 32)
        c = c + d & MASK
        d = rotate(d, 16) ^ c
        a = a + d & MASK
        d = rotate(d, 21) ^ a
        c = c + b & MASK
        b = rotate(b, 17) ^ c
        c = rotate(c, 32)
    return [a, b, c, d]


def state(key, data, wide):
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ wide,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    whole = len(data) // 8 * 8
    words = [data[i:i + 8] for i in range(0, whole, 8)]
    words.append(data[whole:].ljust(7, b"\0") + bytes([len(data) & 255]))
    for word in words:
        m = int.from_bytes(word, "little")
        v[3] ^= m
        v = rounds(v, 2)
        v[0] ^= m
    v[2] ^= wide or 0xFF
    return rounds(v, 4)


def siphash(key, data):
    v = state(key, data, 0)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def fingerprint(key):
    v = state(key, b"sketchutils key", 0xEE)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def read_key(name):
    with open(name, "rb") as file:
        data = file.read()
    if len(data) == 16:
        return data
    return bytes.fromhex(data.removesuffix(b"\n").decode())
