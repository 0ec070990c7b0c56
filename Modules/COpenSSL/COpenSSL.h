// The parts of OpenSSL's libcrypto that tags need and Swift Crypto does not have: DES and the
// short curves of originality signatures.
#include <openssl/bn.h>
#include <openssl/des.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
