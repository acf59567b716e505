import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { type AppError, InvalidRequest, RemoteFailure } from '../../core/errors/app-error.js';
import { callAddressIn } from '../../core/outbound/outbound-refused.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { assertOneSent } from '../../core/rest/alternatives.js';
import { findUpload, type FormFile } from '../../core/rest/form-uploads.service.js';
import type { SourceFile } from './source-file.js';

/** The ways of sending a file beside an upload; a request has one of the three. */
export interface UploadInput {
  /** Fetched by the server. */
  url?: string;
  /** The file in base64, with its name. */
  file?: string;
  file_name?: string;
}

export interface UploadedFile extends SourceFile {
  /** The URL it was fetched from, after redirects; null when it was uploaded. */
  url: URL | null;
}

/** Finds the file in a request. */
@Injectable()
export class UploadedFiles {
  constructor(
    private readonly outbound: Outbound,
    private readonly env: Env,
  ) {}

  /**
   * @throws InvalidRequest when nothing or more than one was sent, the base64 or the URL is invalid, or the URL refuses or has no such file;
   * RemoteFailure when it could not be reached, or failed
   */
  async resolve(input: UploadInput, uploads: FormFile[]): Promise<UploadedFile> {
    const sent = this.findSent(input, uploads);
    return 'url' in sent ? this.fetch(sent.url, '/url') : { ...sent, url: null };
  }

  /**
   * Finds the file without fetching its URL.
   * @throws InvalidRequest when nothing or more than one was sent, or the base64 or the URL is invalid
   */
  findSent({ url, file, file_name }: UploadInput, uploads: FormFile[]): SourceFile | { url: string } {
    const upload = findUpload(uploads, 'file');
    if (upload && file) throw InvalidRequest.forField('/file', 'must be given once', 'Send the upload alone.');
    assertOneSent({ '/file': upload ?? file, '/url': url });
    if (upload) return { path: upload.originalname || 'file', bytes: upload.buffer };
    if (file !== undefined) return { path: file_name ?? 'file', bytes: decodeBase64('/file', file) };
    if (url !== undefined) {
      assertUrl(url, '/url');
      return { url };
    }
    throw InvalidRequest.forField(
      '/file',
      'is required',
      'Send a multipart form with a file, or JSON with url, or with file in base64.',
    );
  }

  /** @param pointer the field of the request that has the address */
  async fetch(address: string, pointer: string): Promise<UploadedFile> {
    assertUrl(address, pointer);
    const limits = { maxBytes: this.env.LIMIT_UPLOAD_BYTES, maxBytesSetting: 'LIMIT_UPLOAD_BYTES' } as const;
    const answer = await callAddressIn(pointer, () =>
      this.outbound.fetch(address, { policy: 'user', timeoutMs: 30_000, ...limits }),
    );
    if (answer.status !== 200) throw sourceUnavailable(address, pointer, answer.status);
    const url = new URL(answer.url);
    return { path: lastPathSegment(url) || url.host, bytes: answer.bytes, url };
  }
}

function assertUrl(address: string, pointer: string): void {
  if (!URL.canParse(address)) throw InvalidRequest.forField(pointer, 'is not a URL');
}

/** The error of a source that returned no file: 502 when it failed itself, 400 when it does not serve the URL. */
function sourceUnavailable(address: string, pointer: string, status: number): AppError {
  const detail = `${address} responded with ${status}`;
  const errors = [{ pointer, detail: `responded with ${status}` }];
  if (status >= 500)
    return new RemoteFailure('SOURCE_UNAVAILABLE', detail, {
      errors,
      remedy: 'Try again when the source works, or send the file itself.',
    });
  const remedy = 'Send the URL of a publicly readable file, or send the file itself.';
  return new InvalidRequest(detail, { code: 'SOURCE_UNAVAILABLE', errors, remedy });
}

/** Takes data URLs and both alphabets. @throws InvalidRequest */
export function decodeBase64(pointer: string, text: string): Buffer {
  const bare = text.replace(/^data:[^,]*,/, '').replace(/\s+/g, '');
  if (bare === '' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(bare))
    throw InvalidRequest.forField(
      pointer,
      'is not base64',
      'Send base64, or the file itself with its name in multipart/form-data, as curl -F file=@path does.',
    );
  return Buffer.from(bare, 'base64');
}

function lastPathSegment({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
