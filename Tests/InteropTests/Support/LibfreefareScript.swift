/// Scripts that call libfreefare itself, from Python.
enum LibfreefareScript {
  /// What the library's API needs to be called: `tag` is the first tag of the reader.
  static let prelude = """
    import sys
    from ctypes import *
    nfc = CDLL('libnfc.so.6')
    ff = CDLL('libfreefare.so.0')
    def ptr(lib, name):
        f = getattr(lib, name); f.restype = c_void_p; return f
    def check(name, *arguments, ok=lambda r: r >= 0):
        f = getattr(ff, name); f.restype = c_ssize_t
        r = f(*arguments)
        if not ok(r):
            ff.freefare_strerror.restype = c_char_p
            sys.exit('%s: %d %s' % (name, r, ff.freefare_strerror(tag)))
        return r
    context = c_void_p()
    nfc.nfc_init(byref(context))
    device = c_void_p(ptr(nfc, 'nfc_open')(context, sys.argv[1].encode()))
    assert device, 'no device'
    tags = cast(ptr(ff, 'freefare_get_tags')(device), POINTER(c_void_p))
    tag = c_void_p(tags[0])
    def key(kind, data, version=0):
        if kind == 'des': return c_void_p(ptr(ff, 'mifare_desfire_des_key_new')(data[:8]))
        if kind == '3des': return c_void_p(ptr(ff, 'mifare_desfire_3des_key_new_with_version')(data))
        if kind == '3k3des': return c_void_p(ptr(ff, 'mifare_desfire_3k3des_key_new_with_version')(data))
        return c_void_p(ptr(ff, 'mifare_desfire_aes_key_new_with_version')(data, c_uint8(version)))
    def aid(number): return c_void_p(ptr(ff, 'mifare_desfire_aid_new')(c_uint32(number)))

    """

  /// Connects to the tag as one of this family.
  static func connecting(_ family: String) -> String {
    prelude + "check('mifare_\(family)_connect', tag)\n"
  }
}
