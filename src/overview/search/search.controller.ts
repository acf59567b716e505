import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { QueryText } from '../../core/listing/list-query.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { searchPolicy } from '../overview.policy.js';
import { MAX_OF_TYPE, SearchService } from './search.service.js';
import { SearchView } from './search.view.js';

class SearchQuery {
  @ApiProperty({ type: String, minLength: 1, maxLength: 500, description: 'A case-insensitive part of a name.' })
  @QueryText('search')
  q?: string;
}

@ApiTags('search')
@Controller('search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @RestOperation(
    'searchRecords',
    'Search everything',
    `Finds designs, deployments, environments, workspaces, connections and resources of clusters by a part of their name, in all organizations of the caller: at most ${MAX_OF_TYPE} of each type. Fewer than three characters find names that begin with them.`,
  )
  @Get()
  @RequiresRight(searchPolicy.read)
  @ApiOkResponse({ type: SearchView })
  async find(@CurrentActor() actor: Actor, @Query() { q = '' }: SearchQuery): Promise<SearchView> {
    return { results: await this.search.search(actor, q) };
  }
}
