import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { tooLarge } from '../errors/problem.js';

export interface UploadedFile {
  fieldname: string;
  originalname: string;
  buffer: Buffer;
}

/** Text fields of a form, and bytes of each. */
const MOST_FIELDS = 20;
const FIELD_BYTES = 512 * 1024;

type WithFiles = Request & { files?: UploadedFile[] };

/** Reads multipart bodies into memory, within the limits. */
@Injectable()
export class Uploads {
  /** Bytes of a whole form. */
  readonly mostBytes: number;
  private readonly read: (request: Request, response: Response, next: (error?: unknown) => void) => void;

  constructor(@Inject(Env) private readonly env: Env) {
    this.mostBytes = env.LIMIT_UPLOAD_BYTES + MOST_FIELDS * FIELD_BYTES;
    this.read = multer({
      storage: multer.memoryStorage(),
      limits: { fileSize: env.LIMIT_UPLOAD_BYTES, files: 5, fields: MOST_FIELDS, fieldSize: FIELD_BYTES, parts: 25 },
    }).any() as never;
  }

  /** @throws AppError 413 over a limit, 400 when the body is no sound multipart form */
  async take(request: Request, response: Response): Promise<void> {
    let received = 0;
    await new Promise<void>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received <= this.mostBytes) return;
        request.unpipe();
        reject(tooLarge(`the form is larger than ${this.mostBytes} bytes`));
      });
      this.read(request, response, (error) => (error ? reject(this.refusal(error)) : resolve()));
    });
  }

  private refusal(error: unknown): Error {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE')
      return tooLarge(`the file in ${error.field ?? 'the form'} is larger than ${this.env.LIMIT_UPLOAD_BYTES} bytes`);
    if (error instanceof MulterError) return tooLarge(error.message);
    return new InvalidRequest(`the multipart form is malformed: ${(error as Error).message}`, {
      code: 'MALFORMED_FORM',
    });
  }
}

export const TAKES_FILES = 'armature:takes-files';

/** For routes that take multipart forms: the text fields are in the body, the files in `filesOf(request)`. */
export const TakesFiles = () => SetMetadata(TAKES_FILES, true);

export const filesOf = (request: Request): UploadedFile[] => (request as WithFiles).files ?? [];

/**
 * The text of an uploaded file, or what the body says in its place.
 * @throws InvalidRequest when neither was sent, or the file is not UTF-8
 */
export function textOf(request: Request, field: string, inline: string | undefined, inlineField: string): string {
  const file = filesOf(request).find((each) => each.fieldname === field) ?? filesOf(request)[0];
  if (!file && inline) return inline;
  if (!file)
    throw InvalidRequest.at(
      `/${inlineField}`,
      'is required',
      `Send a file in the form field ${field}, or JSON with ${inlineField}.`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.buffer);
  } catch {
    throw InvalidRequest.at(`/${field}`, 'is not UTF-8 text');
  }
}
