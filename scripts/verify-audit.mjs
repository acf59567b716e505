#!/usr/bin/env node
// Verifies an export of the audit. It needs Node.js 20 or later and nothing else: neither the server nor its packages.
import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import fs from 'node:fs';
import process from 'node:process';
import { parseArgs, TextDecoder } from 'node:util';

const USAGE = `Verifies an export of the audit: GET /api/identity/orgs/{orgId}/audit/export or /api/system/audit/export.

  node verify-audit.mjs <file>           reads the file; - is the standard input
    --key <file.pem>                     the public key of the installation, which you kept: other keys are refused.
                                         Without it the keys in the export are taken, and their fingerprints are printed
    --checkpoint <file.json>             a checkpoint that you kept, as GET …/audit/checkpoints answers one, or a list of
                                         them: each must be in the chain. May be given several times
    --quiet                              prints faults only

Exit codes: 0 the export is sound; 1 it is not, or a checkpoint does not fit; 2 it cannot be read, or the call is wrong.
`;

const GENESIS = '0'.repeat(64);
const HASHED = [
  ...['action', 'actor_id', 'actor_kind', 'chain', 'count', 'created_at', 'details_digest', 'id', 'on_behalf_of'],
  ...['outcome', 'personal_digest', 'previous_hash', 'reason', 'request_id', 'resource_id', 'resource_type'],
  ...['sequence', 'token_id', 'transaction', 'via'],
];
const MAX_FAULTS = 20;
const MAX_LINE_BYTES = 256 * 1024 * 1024;

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** RFC 8785. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const names = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}

const fingerprint = (key) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

class Export {
  entries = 0;
  erased = 0;
  signed = 0;
  /** The number up to which the heads in the export are signed. */
  signedThrough = 0n;
  faults = [];
  header = null;
  ended = false;
  sequence = 0n;
  hash = GENESIS;
  keys = new Map();

  constructor(trusted, kept) {
    this.trusted = trusted;
    this.kept = kept;
    this.found = new Set();
  }

  fail(detail) {
    if (this.faults.length < MAX_FAULTS) this.faults.push(detail);
  }

  read(line, number) {
    let value;
    try {
      value = JSON.parse(line);
    } catch {
      return this.fail(`line ${number}: it is no JSON`);
    }
    const isHeader = value?.type === 'header';
    if (this.header === null && !isHeader) return this.fail(`line ${number}: it comes before the header of an export`);
    if (this.header !== null && isHeader) return this.fail(`line ${number}: the header is not the first line`);
    if (this.ended) return this.fail(`line ${number}: it comes after the end`);
    if (isHeader) return this.readHeader(value);
    if (value?.type === 'entry') return this.readEntry(value, number);
    if (value?.type === 'checkpoint') return this.readCheckpoint(value, `line ${number}`);
    if (value?.type === 'end') return this.readEnd(value, number);
    return this.fail(`line ${number}: it is neither an entry nor a checkpoint`);
  }

  readHeader(header) {
    this.header = header;
    if (header.version !== 1)
      return this.fail(`the export has the version ${header.version}, which this script does not know`);
    for (const { id, public_key } of header.keys ?? []) {
      let key;
      try {
        key = createPublicKey(public_key);
      } catch {
        this.fail(`the key ${id} is no public key`);
        continue;
      }
      if (fingerprint(key) !== id) this.fail(`the key ${id} has another fingerprint`);
      else this.keys.set(id, key);
    }
    for (const key of this.trusted) this.keys.set(fingerprint(key), key);
    this.sequence = BigInt(header.removed_through ?? '0');
    this.hash = header.previous_hash;
    if (this.sequence === 0n && this.hash !== GENESIS) this.fail('the chain does not begin with its first entry');
    if (this.sequence > 0n && !this.isFiltered) {
      if (!header.anchor) this.fail('entries were removed without a signed head before the remaining ones');
      else {
        this.readCheckpoint(header.anchor, 'the header', this.sequence, this.hash);
        this.compareKept(header.anchor, 'the header');
      }
    }
  }

  /** Kept checkpoints whose entries the filter left out, or retention removed. */
  get missed() {
    return this.kept.length - this.found.size;
  }

  get isFiltered() {
    return Boolean(this.header?.filter);
  }

  readEntry(entry, number) {
    this.entries++;
    const name = `entry ${entry.sequence} (line ${number})`;
    let sequence;
    try {
      sequence = BigInt(entry.sequence);
    } catch {
      return this.fail(`${name}: its number is none`);
    }
    if (entry.chain !== this.header.chain) this.fail(`${name}: it belongs to another chain`);
    const hashed = Object.fromEntries(HASHED.map((member) => [member, entry[member] ?? null]));
    if (sha256(canonicalJson(hashed)) !== entry.hash)
      this.fail(`${name}: its fields are not what they were when it was sealed`);
    for (const part of ['personal', 'details']) {
      const [value, salt] = [entry[part], entry[`${part}_salt`]];
      if ((value === null) !== (salt === null)) this.fail(`${name}: ${part} is half erased`);
      else if (value !== null && sha256(salt + canonicalJson(value)) !== entry[`${part}_digest`])
        this.fail(`${name}: ${part} is not what it was when it was sealed`);
    }
    if (entry.personal === null || entry.details === null) this.erased++;
    if (sequence <= this.sequence) this.fail(`${name}: its number does not come after ${this.sequence}`);
    if (!this.isFiltered) {
      if (sequence !== this.sequence + 1n) this.fail(`${name}: entry ${this.sequence + 1n} is missing`);
      else if (entry.previous_hash !== this.hash)
        this.fail(`${name}: it does not follow the entry before: one of them was changed or inserted`);
    }
    this.compareKept(entry, name);
    this.sequence = sequence;
    this.hash = entry.hash;
  }

  compareKept({ chain, sequence, hash }, name) {
    for (const [at, kept] of this.kept.entries())
      if (kept.chain === chain && kept.sequence === sequence) {
        this.found.add(at);
        if (kept.hash !== hash) this.fail(`${name}: its hash is not the one of the checkpoint that you kept`);
      }
  }

  readCheckpoint(checkpoint, where, sequence = this.sequence, hash = this.hash) {
    const { chain, created_at, hash: signedHash, key_id, sequence: signedSequence, signature } = checkpoint;
    const name = `${where}: the checkpoint of entry ${signedSequence}`;
    if (chain !== this.header.chain || signedSequence !== String(sequence) || signedHash !== hash)
      return this.fail(`${name} is not that of the entry before it`);
    this.checkSignature({ chain, created_at, hash: signedHash, key_id, sequence: signedSequence }, signature, name);
    this.signedThrough = sequence;
  }

  checkSignature(head, signature, name) {
    const key = this.keys.get(head.key_id);
    const isTrusted = this.trusted.length === 0 || this.trusted.some((each) => fingerprint(each) === head.key_id);
    if (!key || !isTrusted) return this.fail(`${name} was signed with the key ${head.key_id}, which is not yours`);
    if (!verify(null, Buffer.from(canonicalJson(head)), key, Buffer.from(String(signature), 'base64')))
      return this.fail(`${name}: its signature is invalid`);
    this.signed++;
  }

  readEnd(end, number) {
    this.ended = true;
    if (end.entries !== this.entries)
      this.fail(`line ${number}: the export says ${end.entries} entries and has ${this.entries}`);
    const { head } = this.header;
    if (!this.isFiltered && (head?.sequence !== String(this.sequence) || head?.hash !== this.hash))
      this.fail(`the chain ends at ${this.sequence}, and not at ${head?.sequence} as the header says`);
    // The server signs the head with which an export ends.
    if (!this.isFiltered && this.signedThrough !== this.sequence)
      this.fail(`the entries after ${this.signedThrough} have no signed head after them`);
  }

  finish() {
    if (this.header === null) return this.fail('the export is empty');
    if (!this.ended) this.fail('the export ends before its last line: it was cut off');
    for (const [at, kept] of this.kept.entries()) {
      const { chain, created_at, hash, key_id, sequence, signature } = kept;
      const name = `the checkpoint that you kept of entry ${sequence}`;
      this.checkSignature({ chain, created_at, hash, key_id, sequence }, signature, name);
      if (chain !== this.header.chain) this.fail(`${name} is of another chain`);
      else if (!this.found.has(at) && !this.isFiltered && BigInt(sequence) > BigInt(this.header.removed_through ?? '0'))
        this.fail(`${name}: the entry is missing`);
    }
  }
}

/**
 * The lines of a file. Only a line feed ends one: a text may hold the other separators of Unicode.
 * @throws Error when it is not UTF-8
 */
async function* readLines(input) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error('the file is not UTF-8: save the answer of the server as it comes');
    }
  };
  let parts = [];
  let bytes = 0;
  for await (const chunk of input) {
    const lines = decode(chunk).split('\n');
    for (const [index, text] of lines.entries()) {
      if (index > 0) {
        yield parts.join('').replace(/\r$/, '');
        parts = [];
        bytes = 0;
      }
      parts.push(text);
    }
    bytes += chunk.length;
    if (bytes > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  parts.push(decode());
  yield parts.join('').replace(/\r$/, '');
}

/** A checkpoint, a list of them, or an answer with `checkpoints`. */
function readCheckpoints(file) {
  const value = JSON.parse(fs.readFileSync(file, 'utf8'));
  const list = Array.isArray(value) ? value : (value.checkpoints ?? [value]);
  for (const each of list)
    if (typeof each?.sequence !== 'string' || typeof each.hash !== 'string' || typeof each.signature !== 'string')
      throw new Error(`${file} holds no checkpoint`);
  return list;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      quiet: { type: 'boolean' },
      key: { type: 'string', multiple: true },
      checkpoint: { type: 'string', multiple: true },
    },
  });
  const [file] = positionals;
  if (values.help || positionals.length !== 1) {
    (values.help ? process.stdout : process.stderr).write(USAGE);
    return values.help ? 0 : 2;
  }
  const trusted = (values.key ?? []).map((path) => createPublicKey(fs.readFileSync(path)));
  const kept = (values.checkpoint ?? []).flatMap(readCheckpoints);
  const audit = new Export(trusted, kept);
  let number = 0;
  for await (const line of readLines(file === '-' ? process.stdin : fs.createReadStream(file))) {
    number++;
    try {
      if (line !== '') audit.read(line, number);
    } catch (error) {
      audit.fail(`line ${number}: it cannot be read: ${error.message}`);
    }
  }
  audit.finish();
  if (audit.faults.length > 0) {
    for (const fault of audit.faults) process.stderr.write(`${fault}\n`);
    process.stderr.write('The export is NOT sound.\n');
    return 1;
  }
  if (!values.quiet) {
    const { header, entries, erased, signed, keys } = audit;
    const lines = [
      `The export is sound: ${entries} entries of the chain ${header.chain}, through ${audit.sequence} with the hash ${audit.hash}.`,
      ...(audit.isFiltered ? ['It is filtered: each entry was verified by itself, and not that none is missing.'] : []),
      ...(header.removed_through !== '0'
        ? [`Entries through ${header.removed_through} were removed by retention.`]
        : []),
      ...(audit.missed > 0
        ? [`${audit.missed} checkpoints that you kept were not compared: their entries are not in the export.`]
        : []),
      ...(erased > 0 ? [`Personal data of ${erased} entries was erased.`] : []),
      `${signed} signatures hold${trusted.length > 0 ? ' for your key' : ''}.`,
      ...(trusted.length > 0 ? [] : [...keys.keys()].map((id) => `Key in the export: ${id}`)),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return 0;
}

main().then(
  (code) => (process.exitCode = code),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  },
);
