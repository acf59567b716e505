import { applyDecorators, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { payloadTooLarge } from '../errors/problem.js';
import { isCutTooSmall, type SizeLimit, tooSmallPieces } from './body/receive-bytes.js';

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
  readonly limits: SizeLimit;
  private readonly multerMiddleware: (request: Request, response: Response, next: (error?: unknown) => void) => void;

  constructor(@Inject(Env) private readonly env: Env) {
    this.limits = {
      bytes: env.LIMIT_UPLOAD_BYTES + MAX_FIELDS * MAX_FIELD_BYTES,
      setting: 'LIMIT_UPLOAD_BYTES',
    };
    this.multerMiddleware = multer({
      storage: multer.memoryStorage(),
      limits: { fileSize: env.LIMIT_UPLOAD_BYTES, files: 5, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, parts: 25 },
    }).any();
  }

  /** @throws AppError 413 over a limit, 400 when the body is no sound multipart form */
  async receive(request: Request, response: Response): Promise<void> {
    let [received, pieces] = [0, 0];
    await new Promise<void>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        pieces += 1;
        const isTooLarge = received > this.limits.bytes;
        if (!isTooLarge && !isCutTooSmall(pieces, received)) return;
        request.unpipe();
        reject(
          isTooLarge
            ? payloadTooLarge(`the form is larger than ${this.limits.bytes} bytes`, this.limits.setting)
            : tooSmallPieces(request),
        );
      });
      this.multerMiddleware(request, response, (error) => (error ? reject(this.toFormError(error)) : resolve()));
    });
  }

  private toFormError(error: unknown): Error {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE')
      return payloadTooLarge(
        `the file in ${error.field ?? 'the form'} is larger than ${this.env.LIMIT_UPLOAD_BYTES} bytes`,
        'LIMIT_UPLOAD_BYTES',
      );
    if (error instanceof MulterError) return payloadTooLarge(error.message);
    return new InvalidRequest(`the multipart form is malformed: ${(error as Error).message}`, {
      code: 'MALFORMED_FORM',
    });
  }
}

export const ACCEPTS_FILES = 'armature:takes-files';
const FILE_FIELDS = 'armature:file-fields';

/** For routes that take multipart forms, with files in these fields: the text fields are in the body, the files in `getFormFiles(request)`. */
export const AcceptsFiles = (...fields: string[]) =>
  applyDecorators(
    SetMetadata(ACCEPTS_FILES, true),
    SetMetadata(FILE_FIELDS, fields),
    ApiConsumes('application/json', 'multipart/form-data'),
  );

/** The fields in which a handler takes files. */
export const getFileFields = (handler: object): readonly string[] =>
  (Reflect.getMetadata(FILE_FIELDS, handler) as string[] | undefined) ?? [];

export const getFormFiles = (request: Request): FormFile[] => (request as RequestWithFiles).files ?? [];

/** The upload in a form field. @throws InvalidRequest when there are uploads, and all of them are in other fields */
export function findUpload(files: readonly FormFile[], field: string): FormFile | undefined {
  const found = files.find((each) => each.fieldname === field);
  const [other] = files;
  if (found || !other) return found;
  throw InvalidRequest.forField(
    `/${other.fieldname}`,
    'is not a form field that takes a file',
    `Send the file in the form field ${field}.`,
  );
}

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
  const file = findUpload(getFormFiles(request), field);
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
