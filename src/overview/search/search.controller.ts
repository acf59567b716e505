import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { QueryText } from '../../core/listing/list-query.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { searchPolicy } from '../overview.policy.js';
import { RECORD_TYPES } from '../record-types.js';
import { SeenRecordsStore } from '../seen-records.store.js';
import { SearchView } from './search.view.js';

/** The maximum number of results of one type. */
const MAX_OF_TYPE = 10;

class SearchQuery {
  @ApiProperty({ type: String, minLength: 1, maxLength: 500, description: 'A case-insensitive part of a name.' })
  @QueryText('search')
  q?: string;
}

@ApiTags('search')
@Controller('search')
export class SearchController {
  constructor(private readonly records: SeenRecordsStore) {}

  @RestOperation(
    'searchRecords',
    'Search everything',
    `Finds designs, deployments, environments, workspaces, connections and resources of clusters by a part of their name, in all organizations of the caller: at most ${MAX_OF_TYPE} of each type. Fewer than three characters find names that begin with them.`,
  )
  @Get()
  @RequiresRight(searchPolicy.read)
  @ApiOkResponse({ type: SearchView })
  async search(@CurrentActor() actor: Actor, @Query() { q = '' }: SearchQuery): Promise<SearchView> {
    const name = q.trim();
    if (name === '') throw InvalidRequest.forField('q', 'is required', 'Send a part of a name, such as q=shop.');
    const matches = await this.records.match(name, MAX_OF_TYPE);
    const rank = ({ match, type }: (typeof matches)[number]): number =>
      match * RECORD_TYPES.length + RECORD_TYPES.indexOf(type);
    return {
      results: await this.records.find(
        actor,
        matches.sort((a, b) => rank(a) - rank(b)),
      ),
    };
  }
}
