import { Controller, Get } from '@nestjs/common';
import { ApiTags, ApiOkResponse } from '@nestjs/swagger';
import { LocalRenderEngines } from '../formats/engines/local-render-engines.js';
import { formats } from './formats/import-design.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { DesignTypeView } from './design-type.view.js';

@ApiTags('designs')
@Controller('pattern/types')
export class DesignTypesController {
  constructor(private readonly engines: LocalRenderEngines) {}

  /** Returns all types in the order of detection. */
  @RestOperation('listDesignTypes', 'List types of designs', 'Lists the formats that designs are imported from.')
  @Get()
  @ApiOkResponse({ type: DesignTypeView, isArray: true })
  list(): Promise<DesignTypeView[]> {
    return Promise.all(
      formats.map(async (format) => ({
        design_type: format.sourceType,
        source_type: format.sourceType,
        supported_extensions: [...format.extensions],
        description: format.description,
        available: await format.available(this.engines),
      })),
    );
  }
}
