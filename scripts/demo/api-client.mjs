import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { Agent, fetch, FormData } from 'undici';
import { problemLines } from './problem-lines.mjs';

/** A deployment is answered when it has ended, which may take longer than clients wait by default. */
const patient = new Agent({ headersTimeout: 16 * 60_000 });

/** A call that did not come out as it should; what was wrong has been printed, or is the message. */
export class CallFailed extends Error {}

/** Calls the server and prints every call in a line: method, path, status, time, and what came back. */
export class ApiClient {
  calls = 0;
  token = '';

  /** @param signal ends a call that is under way */
  constructor(baseUrl, signal) {
    this.baseUrl = baseUrl;
    this.signal = signal;
  }

  /** Takes TOKEN, else signs in with ADMIN_EMAIL and ADMIN_PASSWORD. */
  async signIn({ TOKEN, ADMIN_EMAIL, ADMIN_PASSWORD }) {
    if (TOKEN) {
      this.token = TOKEN;
      return;
    }
    const email = ADMIN_EMAIL || 'admin@armature.local';
    const answer = await this.post('/api/auth/login', { email, password: ADMIN_PASSWORD }, (tokens) =>
      tokens.access_token ? `a token for ${tokens.expires_in} s` : 'no token',
    );
    this.token = answer.access_token;
  }

  get = (path, describe) => this.call('GET', path, undefined, describe);
  post = (path, body, describe) => this.call('POST', path, body, describe);
  delete = (path, describe, body) => this.call('DELETE', path, body, describe);

  /**
   * @param describe makes the output line of an answer
   * @throws CallFailed on any status but 200 and 201, with the problem printed
   */
  async call(method, path, body, describe) {
    this.calls++;
    const started = performance.now();
    const isForm = body instanceof FormData;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: isForm || body === undefined ? body : JSON.stringify(body),
      dispatcher: patient,
      signal: this.signal,
    }).catch((error) => {
      throw new CallFailed(`${method} ${this.baseUrl}${path}: ${error.cause?.message || error.message}`);
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const answer = isJson ? JSON.parse(text) : text;
    const line = (what) =>
      process.stdout.write(
        `${method} ${decodeURIComponent(path)} → ${response.status} (${Math.round(performance.now() - started)} ms) ${what}\n`,
      );
    if (response.status === 200 || response.status === 201) {
      line(describe(answer));
      return answer;
    }
    line('FAILED');
    for (const text of isJson ? problemLines(answer) : [text.slice(0, 500)]) process.stdout.write(`   ${text}\n`);
    throw new CallFailed(`${method} ${path} was answered ${response.status}`);
  }
}
