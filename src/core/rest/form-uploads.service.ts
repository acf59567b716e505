import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { payloadTooLarge } from '../errors/problem.js';

export interface FormFile {
  fieldname: string;
  originalname: string;
  buffer: Buffer;
}

/** Text fields of a form, and bytes of each. */
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 512 * 1024;

type RequestWithFiles = Request & { files?: FormFile[] };

/** Reads multipart bodies into memory, within the limits. */
@Injectable()
export class FormUploads {
  /** Bytes of a whole form. */
  readonly maxBytes: number;
  private readonly multerMiddleware: (request: Request, response: Response, next: (error?: unknown) => void) => void;

  constructor(@Inject(Env) private readonly env: Env) {
    this.maxBytes = env.LIMIT_UPLOAD_BYTES + MAX_FIELDS * MAX_FIELD_BYTES;
    this.multerMiddleware = multer({
      storage: multer.memoryStorage(),
      limits: { fileSize: env.LIMIT_UPLOAD_BYTES, files: 5, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, parts: 25 },
    }).any() as never;
  }

  /** @throws AppError 413 over a limit, 400 when the body is no sound multipart form */
  async receive(request: Request, response: Response): Promise<void> {
    let received = 0;
    await new Promise<void>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received <= this.maxBytes) return;
        request.unpipe();
        reject(payloadTooLarge(`the form is larger than ${this.maxBytes} bytes`));
      });
      this.multerMiddleware(request, response, (error) => (error ? reject(this.toFormError(error)) : resolve()));
    });
  }

  private toFormError(error: unknown): Error {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE')
      return payloadTooLarge(
        `the file in ${error.field ?? 'the form'} is larger than ${this.env.LIMIT_UPLOAD_BYTES} bytes`,
      );
    if (error instanceof MulterError) return payloadTooLarge(error.message);
    return new InvalidRequest(`the multipart form is malformed: ${(error as Error).message}`, {
      code: 'MALFORMED_FORM',
    });
  }
}

export const ACCEPTS_FILES = 'armature:takes-files';

/** For routes that take multipart forms: the text fields are in the body, the files in `filesOf(request)`. */
export const AcceptsFiles = () => SetMetadata(ACCEPTS_FILES, true);

export const getFormFiles = (request: Request): FormFile[] => (request as RequestWithFiles).files ?? [];

/**
 * The text of an uploaded file, or what the body says in its place.
 * @throws InvalidRequest when neither was sent, or the file is not UTF-8
 */
export function resolveFormText(
  request: Request,
  field: string,
  inline: string | undefined,
  inlineField: string,
): string {
  const file = getFormFiles(request).find((each) => each.fieldname === field) ?? getFormFiles(request)[0];
  if (!file && inline) return inline;
  if (!file)
    throw InvalidRequest.forField(
      `/${inlineField}`,
      'is required',
      `Send a file in the form field ${field}, or JSON with ${inlineField}.`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.buffer);
  } catch {
    throw InvalidRequest.forField(`/${field}`, 'is not UTF-8 text');
  }
}
