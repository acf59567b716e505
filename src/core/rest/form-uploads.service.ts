import { applyDecorators, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { payloadTooLarge } from '../errors/problem.js';
import { assertOneSent } from './alternatives.js';
import { BodyArrival } from './body/body-arrival.js';
import type { BodyReservation } from './body/body-memory-budget.js';
import { type SizeLimit, tooManyBytes } from './body/receive-bytes.js';

export interface FormFile {
  fieldname: string;
  originalname: string;
  buffer: Buffer;
}

/** The timeout of receiving a form; the connection is closed soon after. */
const FORM_TIMEOUT_MS = 290_000;
/** The maximum number of text fields, and of bytes in each. */
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 512 * 1024;

/** Errors of a field name, in contrast to the size of the form. */
const NAME_ERRORS = new Set(['LIMIT_FIELD_NESTING', 'INVALID_FIELD_NAME', 'MISSING_FIELD_NAME']);

type RequestWithFiles = Request & { files?: FormFile[] };

/** Parses multipart bodies into memory, within limits. */
@Injectable()
export class FormUploads {
  /** The maximum size of a form. */
  readonly limits: SizeLimit;
  private readonly multerMiddleware: (request: Request, response: Response, next: (error?: unknown) => void) => void;

  constructor(@Inject(Env) private readonly env: Env) {
    this.limits = {
      bytes: env.LIMIT_UPLOAD_BYTES + MAX_FIELDS * MAX_FIELD_BYTES,
      setting: 'LIMIT_UPLOAD_BYTES',
    };
    this.multerMiddleware = multer({
      storage: multer.memoryStorage(),
      limits: {
        fileSize: env.LIMIT_UPLOAD_BYTES,
        files: 5,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        parts: 25,
        // Names are not parsed as paths: a[4294967290] would create a list of that length.
        fieldNestingDepth: 0,
      },
    }).any();
  }

  /** @throws AppError 413 over a limit, 408 on a timeout, 400 for a malformed form, 503 without free memory */
  async receive(request: Request, response: Response, reservation: BodyReservation): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void => {
        arrival.stop();
        request.off('data', take);
        if (!error) return resolve();
        request.unpipe();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        try {
          if (arrival.received > this.limits.bytes) throw tooManyBytes(this.limits);
          reservation.take(chunk.length);
        } catch (error) {
          end(error as Error);
        }
      };
      const arrival = new BodyArrival(request, FORM_TIMEOUT_MS, end);
      reservation.onEvicted = end;
      request.on('data', take);
      this.multerMiddleware(request, response, (error) => end(error ? this.toFormError(error) : undefined));
    });
  }

  private toFormError(error: unknown): Error {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE')
      return payloadTooLarge(
        `the file in ${error.field ?? 'the form'} is larger than ${this.env.LIMIT_UPLOAD_BYTES} bytes`,
        'LIMIT_UPLOAD_BYTES',
      );
    if (error instanceof MulterError && !NAME_ERRORS.has(error.code)) return payloadTooLarge(error.message);
    const field = error instanceof MulterError && error.field ? ` (${error.field})` : '';
    return new InvalidRequest(`the multipart form is malformed: ${(error as Error).message}${field}`, {
      code: 'MALFORMED_FORM',
      remedy: 'Send multipart/form-data with plain field names, as curl -F name=value -F file=@path does.',
    });
  }
}

export const ACCEPTS_FILES = 'armature:takes-files';
const FILE_FIELDS = 'armature:file-fields';

/**
 * For routes that accept multipart forms with files in these fields: text fields are in the body, files in
 * `getFormFiles(request)`.
 */
export const AcceptsFiles = (...fields: string[]) =>
  applyDecorators(
    SetMetadata(ACCEPTS_FILES, true),
    SetMetadata(FILE_FIELDS, fields),
    ApiConsumes('application/json', 'multipart/form-data'),
  );

/** Returns the form fields in which a handler accepts files. */
export const getFileFields = (handler: object): readonly string[] =>
  (Reflect.getMetadata(FILE_FIELDS, handler) as string[] | undefined) ?? [];

export const getFormFiles = (request: Request): FormFile[] => (request as RequestWithFiles).files ?? [];

/** Returns the file of a form field. @throws InvalidRequest when there are several, or only files in other fields */
export function findUpload(files: readonly FormFile[], field: string): FormFile | undefined {
  const [found, second] = files.filter((each) => each.fieldname === field);
  if (second)
    throw InvalidRequest.forField(
      `/${field}`,
      'must be given once',
      'Send one file; several are packed as .tgz, .tar or .zip.',
    );
  const [other] = files;
  if (found || !other) return found;
  throw InvalidRequest.forField(
    `/${other.fieldname}`,
    'is not a form field that takes a file',
    `Send the file in the form field ${field}.`,
  );
}

/**
 * Returns the text of an uploaded file, or of the body field that replaces it.
 * @throws InvalidRequest when neither or both were sent, or the file is not UTF-8
 */
export function resolveFormText(
  request: Request,
  field: string,
  inline: string | undefined,
  inlineField: string,
): string {
  const file = findUpload(getFormFiles(request), field);
  assertOneSent({ [`/${field}`]: file, [`/${inlineField}`]: inline });
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
    throw InvalidRequest.forField(
      `/${field}`,
      'is not UTF-8 text',
      'Send the text itself, in UTF-8 and not compressed.',
    );
  }
}
