import { DirectiveLocation, GraphQLDirective } from 'graphql';

/** Marks fields that work with clusters; `src/kubernetes/middleware` does what it says. */
export const KUBERNETES_MIDDLEWARE = new GraphQLDirective({
  name: 'KubernetesMiddleware',
  description:
    'The field works with clusters: their connections are looked up, authorized and checked to answer before it runs. A connection that is missing or of others is NOT_FOUND, a cluster that does not answer CLUSTER_UNREACHABLE.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
});

/** The directives of the schema beside those of GraphQL itself. */
export const SCHEMA_DIRECTIVES = [KUBERNETES_MIDDLEWARE];
