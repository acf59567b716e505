import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

/** Bearer tokens: `admin` may do everything; `nobody` is known and may do nothing. */
export interface Tokens {
  admin: string;
  nobody: string;
}

/** The API server as one of its users sees it. */
export interface Api {
  url: string;
  ca: string;
  token: string;
}

export async function answers(api: Api, path: string): Promise<boolean> {
  return (await call(api, 'GET', path).catch(() => 0)) === 200;
}

/** @returns the status of the answer */
export function call({ url, ca, token }: Api, method: string, path: string, body?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(`${url}${path}`, { method, ca, headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject).end(body && JSON.stringify(body));
  });
}

/** Keys of service accounts, and the tokens of both users. */
export function writeCredentials(folder: string): Tokens {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }));
  writeFileSync(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const tokens = { admin: randomBytes(20).toString('hex'), nobody: randomBytes(20).toString('hex') };
  writeFileSync(
    join(folder, 'tokens.csv'),
    `${tokens.admin},admin,admin,system:masters\n${tokens.nobody},nobody,nobody,\n`,
  );
  return tokens;
}

export function writeKubeconfig(
  folder: string,
  user: 'admin' | 'nobody',
  { url, ca, token }: Api,
): [text: string, file: string] {
  const file = join(folder, `${user}.kubeconfig`);
  const text = `apiVersion: v1
kind: Config
current-context: test
contexts:
  - name: test
    context: { cluster: test, user: ${user} }
clusters:
  - name: test
    cluster: { server: '${url}', certificate-authority-data: ${Buffer.from(ca).toString('base64')} }
users:
  - name: ${user}
    user: { token: ${token} }
`;
  writeFileSync(file, text);
  return [text, file];
}
