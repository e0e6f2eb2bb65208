import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { optional, required, type Shape, truth, withDefault } from '#config';
import { Secret } from '#foundation';
import type { ConfigFiles } from './config-files.ts';
import { hostName } from './host-name-shape.ts';
import type { ClusterTls, ListenerTls, PemFile, SecretFile } from './proxy-config.ts';
import { checked, record } from './record-shape.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function listenerTls(files: ConfigFiles): Shape<ListenerTls> {
  const shape = record<ListenerTls>({
    certFile: required(certificates(files), 'the certificate, followed by those that lead to its root'),
    keyFile: required(privateKey(files), 'its private key'),
  });
  return checked(shape, ({ certFile, keyFile }) => {
    const isPair = firstCertificate(certFile).checkPrivateKey(createPrivateKey(keyFile.secret.reveal()));
    return isPair ? undefined : 'the private key belongs to another certificate';
  });
}

export function clusterTls(files: ConfigFiles): Shape<ClusterTls> {
  return record<ClusterTls>({
    caFile: optional(certificates(files), "certificates to trust; without them, the system's"),
    sni: optional(serverName(), "the name to ask for and to verify; without it, the endpoint's own"),
    verify: withDefault(truth(), true, 'whether to refuse a certificate that is not to be trusted'),
  });
}

/** TLS knows no IP addresses as names. */
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
