import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { RequiresIn } from '../core/rest/rights/requires.js';
import { BulkDeletion } from './design.inputs.js';
import { DesignRemoval } from './design-removal.service.js';
import { designPolicy } from './design.policy.js';
import { DesignPage, DesignView } from './design.view.js';
import { type Envelope, envelope, whole } from '../core/listing/page.js';

/** Several designs at once. */
@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/patterns')
export class DesignSetsController {
  constructor(private readonly removal: DesignRemoval) {}

  /** Deletes all of them, or none. */
  @Post('delete')
  @RequiresIn(designPolicy.delete, DesignRemoval)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignPage })
  async delete(@Caller() actor: Actor, @Body() input: BulkDeletion): Promise<Envelope> {
    return envelope(whole(await this.removal.deleteAll(actor, input.ids())), 'patterns', (each) => DesignView.of(each));
  }
}
