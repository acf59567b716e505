import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { toStreamableFile } from '../../core/rest/download.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { DesignExportsService, EXPORT_FORMATS } from './design-exports.service.js';

@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern/download')
export class DesignDownloadsController {
  constructor(private readonly exports: DesignExportsService) {}

  /** The design as a file: in its own form, as manifests, as a chart, as a Compose file, or as it was imported. */
  @Get(':id')
  @ApiQuery({ name: 'export', enum: EXPORT_FORMATS, required: false })
  @ApiProduces('application/yaml', 'application/json', 'application/gzip')
  @ApiOkResponse({ description: 'The file, with its name in Content-Disposition.' })
  async download(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query('export') form: string | undefined,
  ): Promise<StreamableFile> {
    return toStreamableFile(await this.exports.download(actor, id, form || undefined));
  }
}
