import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { toStreamableFile } from '../../core/rest/download.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { DesignExportsService, EXPORT_FORMATS } from './design-exports.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiFileResponse } from '../../core/rest/openapi/schemas.js';

@ApiTags('designs')
@Controller('pattern/download')
export class DesignDownloadsController {
  constructor(private readonly exports: DesignExportsService) {}

  /** The design as a file: in its own form, as manifests, as a chart, as a Compose file, or as it was imported. */

  @AuditedCall()
  @RestOperation(
    'downloadDesign',
    'Download a design',
    'Downloads a design as a design file, as manifests, as a chart, as a Compose file, or as it was imported.',
  )
  @Get(':id')
  @ApiQuery({
    name: 'export',
    description: 'The form of the file.',
    required: false,
    schema: { type: 'string', enum: [...EXPORT_FORMATS], default: 'design' },
  })
  @ApiFileResponse(
    'The file, with its name in Content-Disposition.',
    'application/yaml',
    'application/json',
    'application/gzip',
  )
  async download(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query('export') form: string | undefined,
  ): Promise<StreamableFile> {
    return toStreamableFile(await this.exports.download(actor, id, form || undefined));
  }
}
