import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { favouritePolicy } from '../overview.policy.js';
import { RECORD_TYPES, type RecordType } from '../record-types.js';
import { FavouritesView, FavouriteView } from './favourite.view.js';
import { FavouritesService } from './favourites.service.js';

const TypeParam = { name: 'type', description: 'The type of the record.', enum: RECORD_TYPES } as const;

@ApiTags('users')
@Controller('identity/users/favourites')
export class FavouritesController {
  constructor(private readonly favourites: FavouritesService) {}

  @RestOperation('listFavourites', 'List favourites', 'Lists the favourites of the caller that they still see.')
  @Get()
  @RequiresRight(favouritePolicy.read)
  @ApiOkResponse({ type: FavouritesView })
  async list(@CurrentActor() actor: Actor): Promise<FavouritesView> {
    return { favourites: (await this.favourites.list(actor)).map(FavouriteView.fromRecord) };
  }

  @RestOperation('addFavourite', 'Add a favourite', 'Marks a record that the caller sees as a favourite.')
  @Put(':type/:id')
  @HttpCode(204)
  @AuditedCall()
  @RequiresRight(favouritePolicy.update)
  @ApiParam(TypeParam)
  @ApiNoContentResponse({ description: 'It is a favourite.' })
  add(@CurrentActor() actor: Actor, @Param('type') type: string, @IdParam() id: string): Promise<void> {
    return this.favourites.add(actor, { type: parseType(type), id });
  }

  @RestOperation('removeFavourite', 'Remove a favourite', 'Removes a record from the favourites of the caller.')
  @Delete(':type/:id')
  @HttpCode(204)
  @AuditedCall()
  @RequiresRight(favouritePolicy.update)
  @ApiParam(TypeParam)
  @ApiNoContentResponse({ description: 'It is no favourite.' })
  remove(@CurrentActor() actor: Actor, @Param('type') type: string, @IdParam() id: string): Promise<void> {
    return this.favourites.remove(actor, { type: parseType(type), id });
  }
}

function parseType(text: string): RecordType {
  const type = RECORD_TYPES.find((each) => each === text);
  if (!type) throw InvalidRequest.forField('type', `must be one of ${RECORD_TYPES.join(', ')}`);
  return type;
}
