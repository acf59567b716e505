import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import { RegistryPresenter } from './registry.presenter.js';
import { ComponentKindView } from './components/component.view.js';

@Resolver(() => ComponentKindView)
export class ComponentKindResolver {
  constructor(private readonly presenter: RegistryPresenter) {}

  /** The schema, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  async schema(@Parent() { schemaDigest }: ComponentKindView, @Context() context: object): Promise<string> {
    return schemaDigest ? this.presenter.loadSchema(context, schemaDigest) : '';
  }
}
