import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import {
  boolean,
  checked,
  optional,
  required,
  type Shape,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import { Secret } from '#platform/foundation';
import type { ConfigFiles } from './config-files.ts';
import { hostName } from './host-shapes.ts';
import { camelCaseObject, type FieldsOf, parsed, parsedText } from './parsed-shape.ts';
import type { ClusterTls, ListenerTls, PemFile, SecretFile, TlsLimits } from './proxy-config.ts';

const SUITES_OF_TLS_13 = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';
/** The suites of Mozilla's "intermediate" configuration that need no parameters. */
const MODERN_SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function listenerTls(files: ConfigFiles): Shape<ListenerTls> {
  const shape = camelCaseObject<ListenerTls>({
    certFile: required(certificates(files), 'the certificate, followed by its intermediate certificates'),
    keyFile: required(privateKey(files), 'private key of the certificate'),
    ...limits(),
  });
  return checked(shape, ({ certFile, keyFile }) => {
    const isPair = firstCertificate(certFile).checkPrivateKey(createPrivateKey(keyFile.secret.reveal()));
    return isPair ? undefined : 'the private key belongs to another certificate';
  });
}

export function clusterTls(files: ConfigFiles): Shape<ClusterTls> {
  return camelCaseObject<ClusterTls>({
    caFile: optional(certificates(files), "certificates to trust; default: the system's"),
    sni: optional(serverName(), "the server name to send and verify; default: the endpoint's own"),
    verify: withDefault(boolean(), true, 'whether to reject an untrusted certificate'),
    ...limits(),
  });
}

function limits(): FieldsOf<TlsLimits> {
  return {
    minVersion: withWrittenDefault(version(), '1.2', 'the minimum TLS version'),
    ciphers: withWrittenDefault(
      ciphers(),
      'modern',
      'for TLS 1.2; `modern` has forward secrecy and authenticated encryption only',
    ),
  };
}

/** A number in YAML too, and as other programs write it. */
function version(): Shape<TlsLimits['minVersion']> {
  return parsed('`1.2` or `1.3`', (value) => {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    const [, minor] = /^(?:tlsv?)?1\.([23])$/i.exec(isScalar ? String(value) : '') ?? [];
    if (minor === undefined) return undefined;
    return minor === '3' ? 'TLSv1.3' : 'TLSv1.2';
  });
}

function ciphers(): Shape<string> {
  return parsedText('`modern`, or a list of TLS 1.2 cipher suites in OpenSSL format', (text) => {
    const list = `${SUITES_OF_TLS_13}:${text === 'modern' ? MODERN_SUITES : text}`;
    return isCipherList(text === 'modern' ? MODERN_SUITES : text) ? list : undefined;
  });
}

function isCipherList(list: string): boolean {
  try {
    return createSecureContext({ ciphers: list }).context !== undefined;
  } catch {
    return false;
  }
}

/** TLS allows no IP addresses as server names. */
function serverName(): Shape<string> {
  return checked(hostName(), (name) => (isIP(name) === 0 ? undefined : 'expected a name, not an address'));
}

export function firstCertificate({ text }: PemFile): X509Certificate {
  return new X509Certificate(text);
}

function certificates(files: ConfigFiles): Shape<PemFile> {
  return files.shape('a file of certificates in PEM', (path, text) => {
    const blocks = text.match(CERTIFICATE) ?? [];
    return blocks.length > 0 && blocks.every(isCertificate) ? Object.freeze({ path, text }) : undefined;
  });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== '';
  } catch {
    return false;
  }
}

function privateKey(files: ConfigFiles): Shape<SecretFile> {
  return files.shape('a file with a private key in PEM, without a passphrase', (path, text) =>
    isPrivateKey(text) ? Object.freeze({ path, secret: new Secret(text) }) : undefined,
  );
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}
