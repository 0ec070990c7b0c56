// The parts of OpenSSL's libcrypto that tags need and Swift Crypto does not have: DES and the
// short curves of originality signatures.
#if __has_include(<openssl/evp.h>)
#include <openssl/bn.h>
#include <openssl/des.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#else
#error "openssl/evp.h is missing: sudo apt-get install libssl-dev"
#endif
