import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ShortListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { paginateItems } from '../../core/listing/paginate-items.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { LoadGeneratorPage, LoadGeneratorView } from './load-generator.view.js';
import { LoadGeneratorsService } from './load-generators.service.js';

@ApiTags('performance')
@Controller(['performance/generators', 'user/performance/generators'])
export class LoadGeneratorsController {
  constructor(private readonly generators: LoadGeneratorsService) {}

  @RestOperation(
    'listLoadGenerators',
    'List load generators',
    'Lists the supported load generators, whether this server has them, and the limits of runs with them.',
  )
  @Get()
  @ApiOkResponse({ type: LoadGeneratorPage })
  list(@Query() query: ShortListQuery): PageEnvelope {
    const page = paginateItems(this.generators.list(), { name: 'name', getKey: ({ name }) => name }, query);
    return toPageEnvelope(page, 'generators', LoadGeneratorView.fromGenerator);
  }
}
