#!/usr/bin/env python3
"""Makes signed documents of nobody with throw-away keys: documents.txt, one name and its bytes per line.

Needs the package cryptography, for its keys and signatures only. Everything else is encoded here.
"""
import hashlib
import os
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils


def tlv(tag, *parts):
    value = b"".join(parts)
    size = len(value)
    if size < 0x80:
        length = bytes([size])
    else:
        digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
        length = bytes([0x80 | len(digits)]) + digits
    number = tag.to_bytes(max(1, (tag.bit_length() + 7) // 8), "big")
    return number + length + value


def indefinite(tag, *parts):
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = b""
    for number in [first * 40 + second] + rest:
        digits = [number & 0x7F]
        while number > 0x7F:
            number >>= 7
            digits.insert(0, number & 0x7F | 0x80)
        out += bytes(digits)
    return tlv(6, out)


def integer(value):
    return tlv(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def seq(*parts):
    return tlv(0x30, *parts)


def a_set(*parts):
    return tlv(0x31, *parts)


NULL = tlv(5)
DIGESTS = {"sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1",
           "sha384": "2.16.840.1.101.3.4.2.2", "sha512": "2.16.840.1.101.3.4.2.3"}
HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(),
          "sha512": hashes.SHA512()}
ECDSA = {"sha1": "1.2.840.10045.4.1", "sha256": "1.2.840.10045.4.3.2",
         "sha384": "1.2.840.10045.4.3.3", "sha512": "1.2.840.10045.4.3.4"}
RSA = {"sha1": "1.2.840.113549.1.1.5", "sha256": "1.2.840.113549.1.1.11",
       "sha512": "1.2.840.113549.1.1.13"}
PLAIN = {"sha256": "0.4.0.127.0.7.1.1.4.1.3"}
# p, a, b, generator, order of brainpoolP384r1: RFC 5639, 3.6.
P384 = dict(
    p=0x8CB91E82A3386D280F5D6F7E50E641DF152F7109ED5456B412B1DA197FB71123ACD3A729901D1A71874700133107EC53,
    a=0x7BC382C63D8C150C3C72080ACE05AFA0C2BEA28E4FB22787139165EFBA91F90F8AA5814A503AD4EB04A8C7DD22CE2826,
    b=0x04A8C7DD22CE28268B39B55416F0447C2FB77DE107DCD2A62E880EA53EEB62D57CB4390295DBC9943AB78696FA504C11,
    x=0x1D1C64F068CF45FFA2A63A81B7C13F6B8847A3E77EF14FE3DB7FCAFE0CBD10E8E826E03436D646AAEF87B2E247D4AF1E,
    y=0x8ABE1D7520F9C2A45CB1EB8E95CFD55262B70B29FEEC5864E19C054FF99129280E4646217791811142820341263C5315,
    n=0x8CB91E82A3386D280F5D6F7E50E641DF152F7109ED5456B31F166E6CAC0425A7CF3AB6AF6B7FC3103B883202E9046565)


def digest_algorithm(name):
    return seq(oid(DIGESTS[name]), NULL)


class Key:
    def __init__(self, kind, digest, scheme=None, explicit=False, declared_salt=None, salt=None):
        self.digest, self.scheme, self.explicit = digest, scheme, explicit
        self.salt = salt
        self.declared_salt = declared_salt
        if kind.startswith("rsa"):
            self.key = rsa.generate_private_key(65537, int(kind[3:]))
            self.scheme = scheme or "pkcs1"
        else:
            self.key = ec.generate_private_key(getattr(ec, kind)())
            self.scheme = scheme or "ecdsa"

    @property
    def spki(self):
        der = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        if not self.explicit:
            return der
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        c = {k: v.to_bytes(48, "big") for k, v in P384.items()}
        parameters = seq(
            integer(1), seq(oid("1.2.840.10045.1.1"), integer(P384["p"])),
            seq(tlv(4, c["a"]), tlv(4, c["b"])), tlv(4, b"\4" + c["x"] + c["y"]),
            integer(P384["n"]), integer(1))
        return seq(seq(oid("1.2.840.10045.2.1"), parameters), tlv(3, b"\0" + point))

    @property
    def identifier(self):
        return hashlib.sha1(self.spki).digest()

    @property
    def algorithm(self):
        if self.scheme == "pkcs1":
            return seq(oid(RSA[self.digest]), NULL)
        if self.scheme == "pss":
            salt = self.declared_salt or self.salt or HASHES[self.digest].digest_size
            return seq(oid("1.2.840.113549.1.1.10"), seq(
                tlv(0xA0, digest_algorithm(self.digest)),
                tlv(0xA1, seq(oid("1.2.840.113549.1.1.8"), digest_algorithm(self.digest))),
                tlv(0xA2, integer(salt))))
        if self.scheme == "plain":
            return seq(oid(PLAIN[self.digest]))
        return seq(oid(ECDSA[self.digest]))

    def sign(self, data):
        hash_function = HASHES[self.digest]
        if self.scheme == "pkcs1":
            return self.key.sign(data, padding.PKCS1v15(), hash_function)
        if self.scheme == "pss":
            salt = self.salt or hash_function.digest_size
            return self.key.sign(data, padding.PSS(padding.MGF1(hash_function), salt), hash_function)
        signature = self.key.sign(data, ec.ECDSA(hash_function))
        if self.scheme == "plain":
            r, s = utils.decode_dss_signature(signature)
            size = (self.key.curve.key_size + 7) // 8
            return r.to_bytes(size, "big") + s.to_bytes(size, "big")
        return signature


def name(country, common, string=0x13):
    return seq(a_set(seq(oid("2.5.4.6"), tlv(string, country.encode()))),
               a_set(seq(oid("2.5.4.10"), tlv(string, b"Utopia"))),
               a_set(seq(oid("2.5.4.3"), tlv(string, common.encode()))))


def utc(text):
    return tlv(0x17, text.encode() + b"Z") if len(text) == 12 else tlv(0x18, text.encode() + b"Z")


class Certificate:
    serial = 100

    def __init__(self, key, subject, issuer=None, issuer_key=None, validity=("200101000000", "301231235959"),
                 extensions=(), authority=True, ca=False):
        issuer_key = issuer_key or key
        issuer = issuer or subject
        Certificate.serial += 1
        self.serial, self.issuer, self.key = Certificate.serial, issuer, key
        usage = bytes([0x01, 0x06]) if ca else bytes([0x07, 0x80])
        entries = [(oid("2.5.29.14"), tlv(4, key.identifier)), (oid("2.5.29.15"), tlv(3, usage))]
        if authority:
            entries.append((oid("2.5.29.35"), seq(tlv(0x80, issuer_key.identifier))))
        entries += list(extensions)
        tbs = seq(
            tlv(0xA0, integer(2)), integer(self.serial), issuer_key.algorithm, issuer,
            seq(utc(validity[0]), utc(validity[1])), subject, key.spki,
            tlv(0xA3, seq(*[seq(kind, tlv(4, value)) for kind, value in entries])))
        self.der = seq(tbs, issuer_key.algorithm, tlv(3, b"\0" + issuer_key.sign(tbs)))


def signed_data(content, kind, certificate, *, time="210601120000", attributes=True, by_ski=False,
                include=True, digest=None, spoil=False, more=(), ber=False, named=None):
    key = certificate.key
    digest = digest or key.digest
    if ber:
        encapsulated = indefinite(0x30, oid(kind), indefinite(0xA0, indefinite(
            0x24, tlv(4, content[:100]), tlv(4, content[100:]))))
    else:
        encapsulated = seq(oid(kind), tlv(0xA0, tlv(4, content)))
    attrs = b""
    covered = content
    if attributes:
        parts = [seq(oid("1.2.840.113549.1.9.3"), a_set(oid(kind))),
                 seq(oid("1.2.840.113549.1.9.4"), a_set(tlv(4, hashlib.new(digest, content).digest())))]
        if time:
            parts.append(seq(oid("1.2.840.113549.1.9.5"), a_set(utc(time))))
        parts.sort()
        covered = a_set(*parts)
        attrs = tlv(0xA0, *parts)
    signature = bytearray(key.sign(covered))
    if spoil:
        signature[-1] ^= 1
    sid = tlv(0x80, key.identifier) if by_ski else seq(named or certificate.issuer, integer(certificate.serial))
    signer = seq(integer(3 if by_ski else 1), sid, digest_algorithm(digest), attrs, key.algorithm,
                 tlv(4, bytes(signature)))
    inside = tlv(0xA0, *[c.der for c in more], certificate.der) if include else b""
    if ber:
        return indefinite(0x30, oid("1.2.840.113549.1.7.2"), indefinite(0xA0, indefinite(
            0x30, integer(3), a_set(digest_algorithm(digest)), encapsulated, inside, a_set(signer))))
    return seq(oid("1.2.840.113549.1.7.2"), tlv(0xA0, seq(
        integer(3), a_set(digest_algorithm(digest)), encapsulated, inside, a_set(signer))))


LDS = "2.23.136.1.1.1"


def lds(groups, digest):
    return seq(integer(0), digest_algorithm(digest), seq(*[
        seq(integer(number), tlv(4, hashlib.new(digest, file).digest()))
        for number, file in sorted(groups.items())]))


OUT = []


def put(label, data):
    OUT.append(f"{label} {data.hex().upper()}")


ZONE = (b"P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
        b"L898902C36UTO7408122F1204159ZE184226B<<<<<10")
jpeg = bytes.fromhex("FFD8FFE000104A46494600010100000100010000FFC0000B08004000300101110 0".replace(" ", "")) + bytes(60)
record = b"FAC\x00010\x00" + (14 + 32 + len(jpeg)).to_bytes(4, "big") + b"\0\1"
record += (32 + len(jpeg)).to_bytes(4, "big") + bytes(16) + b"\1\0" + b"\0\x30\0\x40" + bytes(6) + jpeg
groups = {
    1: tlv(0x61, tlv(0x5F1F, ZONE)),
    2: tlv(0x75, tlv(0x7F61, integer(1), tlv(0x7F60, tlv(0xA1, tlv(0x80, b"\1\1")), tlv(0x5F2E, record)))),
    12: tlv(0x6C, tlv(0x5C, bytes.fromhex("5F195F26")), tlv(0x5F19, b"UTOPIA"), tlv(0x5F26, b"20210601")),
}
chip_key = ec.generate_private_key(ec.BrainpoolP256R1())
chip_spki = chip_key.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
pace = seq(oid("0.4.0.127.0.7.2.2.4.2.2"), integer(2), integer(13))
groups[14] = tlv(0x6E, a_set(
    pace, seq(oid("0.4.0.127.0.7.2.2.3.2.2"), integer(1), integer(1)),
    seq(oid("0.4.0.127.0.7.2.2.1.2"), chip_spki, integer(1)),
    seq(oid("2.23.136.1.1.5"), integer(1), oid("0.4.0.127.0.7.1.1.4.1.3"))))
aa_key = rsa.generate_private_key(65537, 1024)
groups[15] = tlv(0x6F, aa_key.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))
for number, file in groups.items():
    put(f"dg{number}", file)
put("cardaccess", a_set(pace))

# ISO/IEC 9796-2, digital signature scheme 1, over a challenge.
challenge = bytes.fromhex("F173589974BF40C6")
numbers = aa_key.private_numbers()
for label, digest, trailer in [("aa-sha1", "sha1", b"\xBC"), ("aa-sha256", "sha256", b"\x34\xCC"),
                               ("aa-sha512", "sha512", b"\x35\xCC")]:
    m1 = os.urandom(128 - 1 - hashlib.new(digest).digest_size - len(trailer))
    block = b"\x6A" + m1 + hashlib.new(digest, m1 + challenge).digest() + trailer
    put(label, pow(int.from_bytes(block, "big"), numbers.d, numbers.public_numbers.n).to_bytes(128, "big"))
aa_ec = ec.generate_private_key(ec.SECP256R1())
put("dg15-ec", tlv(0x6F, aa_ec.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)))
der = aa_ec.sign(challenge, ec.ECDSA(hashes.SHA256()))
r, s = utils.decode_dss_signature(der)
put("aa-ec-der", der)
put("aa-ec-plain", r.to_bytes(32, "big") + s.to_bytes(32, "big"))

ut = name("UT", "CSCA Utopia")
authorities = {
    "rsa": Key("rsa2048", "sha256"), "pss": Key("rsa2048", "sha256", "pss"),
    "explicit": Key("BrainpoolP384R1", "sha384", explicit=True), "p256": Key("SECP256R1", "sha256"),
}
for label, key in authorities.items():
    put(f"csca-{label}", Certificate(key, ut, ca=True).der)
# A new key under the same name, signed by the old one.
link = Key("rsa2048", "sha256")
put("csca-link", Certificate(link, ut, ut, authorities["rsa"], ca=True).der)
de = Key("SECP256R1", "sha256")
put("csca-de", Certificate(de, name("DE", "csca-germany"), ca=True).der)
stranger = Key("rsa2048", "sha256")
put("csca-stranger", Certificate(stranger, ut, ca=True).der)


def signer(key, by="rsa", **options):
    issuer = options.pop("issuer", ut)
    subject = options.pop("subject", name("UT", "Document Signer"))
    signing = authorities[by] if isinstance(by, str) else by
    return Certificate(key, subject, issuer, signing, **options)


def sod(label, certificate, *, files=None, hash_name=None, **options):
    content = lds(files or groups, hash_name or certificate.key.digest)
    body = signed_data(content, options.pop("kind", LDS), certificate, **options)
    put(f"sod-{label}", indefinite(0x77, body) if options.get("ber") else tlv(0x77, body))


rsa_signer = signer(Key("rsa2048", "sha256"))
sod("rsa", rsa_signer)
sod("rsa-sha1", signer(Key("rsa2048", "sha1")))
sod("pss", signer(Key("rsa2048", "sha256", "pss"), "pss"))
sod("pss-sha512", signer(Key("rsa2048", "sha512", "pss", salt=20)))
sod("pss-other-salt", signer(Key("rsa2048", "sha256", "pss", salt=20, declared_salt=32)))
sod("ecdsa", signer(Key("SECP256R1", "sha256"), "p256"))
sod("ecdsa-521", signer(Key("SECP521R1", "sha512")))
sod("explicit", signer(Key("BrainpoolP384R1", "sha384", explicit=True), "explicit"))
sod("plain", signer(Key("BrainpoolP256R1", "sha256", "plain"), "p256"))
sod("ski", rsa_signer, by_ski=True)
sod("no-attributes", rsa_signer, attributes=False)
sod("no-certificate", rsa_signer, include=False)
put("signer-rsa", rsa_signer.der)
sod("ber", rsa_signer, ber=True)
sod("other-digest", signer(Key("rsa2048", "sha256")), digest="sha1")
sod("other-type", rsa_signer, kind="1.3.27.1.1.1")
sod("other-name", rsa_signer, named=name("ut", "csca  UTOPIA", 0x0C))
sod("several", rsa_signer, more=[signer(Key("SECP256R1", "sha256"), "p256")])
sod("link", signer(Key("SECP256R1", "sha256"), link))
sod("no-authority-key", signer(Key("SECP256R1", "sha256"), "rsa", authority=False))
sod("small-country", signer(Key("SECP256R1", "sha256"), "rsa", subject=name("ut", "signer")))
sod("expired-now", signer(Key("SECP256R1", "sha256"), "rsa", validity=("210101000000", "210901000000")))
sod("not-valid-then", signer(Key("SECP256R1", "sha256"), "rsa", validity=("220101000000", "301231000000")))
sod("by-issue-date", signer(Key("SECP256R1", "sha256"), "rsa", validity=("210101000000", "210901000000")),
    time=None)
sod("key-period", signer(Key("SECP256R1", "sha256"), "rsa", extensions=[
    (oid("2.5.29.16"), seq(tlv(0x80, b"20210101000000Z"), tlv(0x81, b"20210301000000Z")))]))
sod("extended-usage", signer(Key("SECP256R1", "sha256"), "rsa", extensions=[
    (oid("2.5.29.37"), seq(oid("2.23.136.1.1.3")))]))
sod("types-p", signer(Key("SECP256R1", "sha256"), "rsa", extensions=[
    (oid("2.23.136.1.1.6.2"), seq(integer(0), a_set(tlv(0x13, b"P"), tlv(0x13, b"AC"))))]))
sod("types-i", signer(Key("SECP256R1", "sha256"), "rsa", extensions=[
    (oid("2.23.136.1.1.6.2"), seq(integer(0), a_set(tlv(0x13, b"ID"))))]))
sod("germany", signer(Key("SECP256R1", "sha256"), de, issuer=name("DE", "csca-germany"),
                      subject=name("DE", "signer")))
sod("two-countries", signer(Key("SECP256R1", "sha256"), de, issuer=name("DE", "csca-germany")))
sod("wrong", rsa_signer, spoil=True)
sod("stranger", signer(Key("SECP256R1", "sha256"), stranger))
forged = signer(Key("SECP256R1", "sha256"), stranger, authority=False, extensions=[
    (oid("2.5.29.35"), seq(tlv(0x80, authorities["rsa"].identifier)))])
sod("forged-authority", forged)
small = {number: file for number, file in groups.items() if number in (1, 2)}
sod("small", rsa_signer, files=small)
changed = dict(small)
changed[1] = groups[1].replace(b"ERIKSSON", b"ERIKSSEN")
put("dg1-changed", changed[1])

list_signer = Certificate(Key("SECP256R1", "sha256"), name("UT", "list signer"), ut, authorities["rsa"],
                          extensions=[(oid("2.5.29.37"), seq(oid("2.23.136.1.1.3")))])
every = [line.split()[1] for line in OUT if line.startswith("csca-") and "stranger" not in line]
content = seq(integer(0), a_set(*[bytes.fromhex(text) for text in every]))
put("masterlist", signed_data(content, "2.23.136.1.1.2", list_signer))
put("masterlist-wrong", signed_data(content, "2.23.136.1.1.2", list_signer, spoil=True))

# EF.CardSecurity, with the chip's key for PACE-CAM.
security = a_set(
    seq(oid("0.4.0.127.0.7.2.2.4.6.2"), integer(2), integer(13)),
    seq(oid("0.4.0.127.0.7.2.2.1.2"), seq(seq(oid("0.4.0.127.0.7.1.2"), integer(13)), tlv(
        3, b"\0", chip_key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint))), integer(13)))
put("cardsecurity", signed_data(security, "0.4.0.127.0.7.3.2.1", rsa_signer))
put("cam-private", chip_key.private_numbers().private_value.to_bytes(32, "big"))

with open(os.path.join(os.path.dirname(__file__), "documents.txt"), "w") as file:
    file.write("\n".join(OUT) + "\n")
