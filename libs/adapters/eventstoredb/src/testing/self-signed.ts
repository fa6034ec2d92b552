import { generateKeyPairSync, sign } from 'node:crypto';

const [sequence, set, integer, bitString, octetString, objectId, utf8, utcTime, boolean] = [
  0x30, 0x31, 0x02, 0x03, 0x04, 0x06, 0x0c, 0x17, 0x01,
];
const ecdsaWithSha256 = Buffer.from('2a8648ce3d040302', 'hex');
const commonName = Buffer.from('550403', 'hex');
const alternativeNames = Buffer.from('551d11', 'hex');
const basicConstraints = Buffer.from('551d13', 'hex');
const loopback = Buffer.from([0x87, 4, 127, 0, 0, 1]);

/** One value of ASN.1: its tag, its length, what it holds. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const pem = (content: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${content.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** A key made for one test and a certificate for 127.0.0.1 that it signed itself. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(sequence, der(objectId, ecdsaWithSha256));
  const name = der(sequence, der(set, der(sequence, der(objectId, commonName), der(utf8, Buffer.from('spec')))));
  const extensions = der(
    sequence,
    der(sequence, der(objectId, alternativeNames), der(octetString, der(sequence, loopback))),
    der(sequence, der(objectId, basicConstraints), der(octetString, der(sequence, der(boolean, Buffer.from([0xff]))))),
  );
  const times = ['200101000000Z', '491231235959Z'].map((time) => der(utcTime, Buffer.from(time)));
  const toSign = der(
    sequence,
    der(0xa0, der(integer, Buffer.from([2]))),
    der(integer, Buffer.from([1])),
    algorithm,
    name,
    der(sequence, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(bitString, Buffer.from([0]), sign('sha256', toSign, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem(der(sequence, toSign, algorithm, signature)),
  };
}
