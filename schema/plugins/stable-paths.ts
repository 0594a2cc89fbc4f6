import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql';

type Path = GraphQLResolveInfo['path'];

/** A path that a field was resolved at, and the paths below it. */
interface PathNode {
  path: Path | undefined;
  below: Map<string | number, PathNode>;
}

const roots = new WeakMap<object, PathNode>();

/** The one object that represents this path in this request. */
function nodeOf(path: Path, root: PathNode): PathNode {
  const above = path.prev ? nodeOf(path.prev, root) : root;
  let place = above.below.get(path.key);
  if (!place) {
    place = { path: { ...path, prev: above.path }, below: new Map() };
    above.below.set(path.key, place);
  }
  return place;
}

/**
 * Makes equal paths the same object, as graphql-js does and graphql-jit doesn't: Pothos caches by them which rows it has
 * loaded. Without this plugin, a compiled operation would load rows nested three levels deep one by one.
 */
class StablePathsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (resolver === defaultFieldResolver) return resolver;
    return (parent, args, context, info) => {
      if ('typename' in info.path) return resolver(parent, args, context, info); // graphql-js's own
      let root = roots.get(context);
      if (!root) roots.set(context, (root = { path: undefined, below: new Map() }));
      return resolver(parent, args, context, { ...info, path: nodeOf(info.path, root).path ?? info.path });
    };
  }
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      paths: StablePathsPlugin<Types>;
    }
  }
}

const pluginName = 'paths';
SchemaBuilder.registerPlugin(pluginName, StablePathsPlugin);
export default pluginName;
