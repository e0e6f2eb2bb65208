#!/bin/sh
# Certificates for mutual TLS between a hive and its edges: an authority, one certificate for the hive, one for each
# edge. What is there is kept, so that edges can be added later. Needs openssl.
set -eu

usage() {
  echo "usage: tools/make-certificates.sh <directory> <hive host or address>[,…] <edge id>…" >&2
  echo "       DAYS=825 is how long they hold" >&2
  exit 2
}

[ $# -ge 3 ] || usage
directory=$1
hosts=$2
shift 2
days=${DAYS:-825}

for edge in "$@"; do
  case $edge in
    ca | hive | .* | *[!A-Za-z0-9._-]*) echo "make-certificates: $edge is no name for an edge here" >&2 && exit 2 ;;
  esac
done

mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"
umask 077

new_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# The subject's alternative names: addresses apart from names.
names_of() {
  echo "$1" | tr ',' '\n' | while read -r name; do
    case $name in
      *[!0-9.]*) case $name in *:*) printf 'IP:%s,' "$name" ;; *) printf 'DNS:%s,' "$name" ;; esac ;;
      *) printf 'IP:%s,' "$name" ;;
    esac
  done | sed 's/,$//'
}

# name, common name, alternative names, use
certify() {
  [ ! -e "$1.pem" ] || return 0
  new_key "$1.key"
  extensions=$(mktemp)
  printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=%s\nsubjectAltName=%s\n' "$4" "$3" \
    >"$extensions"
  openssl req -new -key "$1.key" -subj "/CN=$2" |
    openssl x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -days "$days" -extfile "$extensions" -out "$1.pem" 2>&1 |
    { grep -v -e 'Certificate request self-signature ok' -e 'subject=' >&2 || true; }
  rm "$extensions"
  echo "$directory/$1.pem"
}

if [ ! -e ca.pem ]; then
  new_key ca.key
  openssl req -x509 -new -key ca.key -days "$days" -subj '/CN=Plexus load test' -out ca.pem \
    -addext 'keyUsage=keyCertSign,cRLSign'
  echo "$directory/ca.pem"
fi
certify hive hive "$(names_of "$hosts")" serverAuth
for edge in "$@"; do
  certify "$edge" "$edge" "DNS:$edge" clientAuth
done
