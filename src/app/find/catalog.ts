/** The catalog for commands: they make it anew, and ask it. */
export { type CatalogOptions, type CatalogSize, reindex } from '../../catalog/catalog.ts';
