import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../access/access.decorators.js';
import { AppError } from '../../errors/app-error.js';
import { BundledPage } from '../../rest/bundled-page.js';

/** Injection token of PlaygroundOptions. */
export const PLAYGROUND_OPTIONS = Symbol('graphql playground options');

export interface PlaygroundOptions {
  enabled: boolean;
  /** The folder of the bundle, unless it is the output folder of `npm run build`. */
  folder?: string;
}

/** Serves GraphiQL, which is bundled with the server. */
@Public()
@ApiExcludeController()
@Controller('system/graphql/playground')
export class PlaygroundController {
  private readonly bundle: BundledPage;

  constructor(@Inject(PLAYGROUND_OPTIONS) private readonly options: PlaygroundOptions) {
    this.bundle = new BundledPage('playground', options.folder);
  }

  @Get()
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.mustBeEnabled();
    await this.bundle.send(request, response);
  }

  @Get(':file')
  asset(@Param('file') file: string, @Res() response: Response): void {
    this.mustBeEnabled();
    this.bundle.sendFile(file, response);
  }

  private mustBeEnabled(): void {
    if (this.options.enabled) return;
    throw new AppError(404, 'NOT_FOUND', 'Not found', 'The playground is off.', {
      remedy: 'Start the server with GRAPHQL_PLAYGROUND=on.',
    });
  }
}
