import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { BulkDeletion } from './design.inputs.js';
import { DesignRemovalService } from './design-removal.service.js';
import { designPolicy } from './design.policy.js';
import { DesignPage, DesignView } from './design.view.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../core/listing/page.js';

/** Bulk operations on designs. */
@ApiTags('designs')
@Controller('patterns')
export class BulkDesignsController {
  constructor(private readonly removal: DesignRemovalService) {}

  @RestOperation('deleteDesigns', 'Delete designs', 'Deletes several designs: all of them, or none.', {
    errors: [404],
  })
  @Post('delete')
  @RequiresBodyRight(designPolicy.delete, DesignRemovalService, { isDeletion: true })
  @HttpCode(200)
  @ApiOkResponse({ type: DesignPage })
  async delete(@CurrentActor() actor: Actor, @Body() input: BulkDeletion): Promise<PageEnvelope> {
    return toPageEnvelope(singlePage(await this.removal.deleteMany(actor, input.parseIds())), 'patterns', (each) =>
      DesignView.fromEntity(each),
    );
  }
}
