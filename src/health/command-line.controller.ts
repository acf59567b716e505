import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../core/access/access.decorators.js';
import { NotFound } from '../core/errors/app-error.js';
import { toStreamableFile } from '../core/rest/download.js';

const NAME = 'armature';
/** In `dist` of the checkout, as seen from the compiled file and from the source. */
const PLACES = ['../../cli/armature', '../../dist/cli/armature'].map((path) => new URL(path, import.meta.url));

/** The command line that was built with this server: one file, and its hash against damage. */
@Public()
@ApiExcludeController()
@Controller('download')
export class CommandLineController {
  private program: Promise<{ content: Buffer; hash: string }> | null = null;

  @Get(NAME)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cache-Control', 'no-cache')
  async download(): Promise<StreamableFile> {
    const { content } = await this.read();
    return toStreamableFile({ name: NAME, type: 'application/octet-stream', content });
  }

  /** As `sha256sum` writes it, and `sha256sum --check` reads it. */
  @Get(`${NAME}.sha256`)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cache-Control', 'no-cache')
  async hash(): Promise<StreamableFile> {
    const { hash } = await this.read();
    return toStreamableFile({
      name: `${NAME}.sha256`,
      type: 'text/plain; charset=utf-8',
      content: `${hash}  ${NAME}\n`,
    });
  }

  /** Read once: both responses are of the same file. */
  private read(): Promise<{ content: Buffer; hash: string }> {
    this.program ??= readFirst().catch((error: unknown) => {
      this.program = null;
      throw error;
    });
    return this.program;
  }
}

async function readFirst(): Promise<{ content: Buffer; hash: string }> {
  for (const place of PLACES) {
    const content = await readFile(place).catch(() => null);
    if (content) return { content, hash: createHash('sha256').update(content).digest('hex') };
  }
  throw new NotFound('File', NAME);
}
