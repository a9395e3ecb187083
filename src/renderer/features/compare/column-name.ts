import type { ComparisonColumn, ComparisonSetup } from '@shared/contract'

/** What a column is called: its name, else its model, else nothing. */
export const columnName = ({ name, target }: Pick<ComparisonColumn, 'name' | 'target'>): string | undefined =>
  name.trim() === '' ? target?.modelCode : name.trim()

/** The place of a column as a person counts it, from 1. */
export const columnNumber = ({ columns }: Pick<ComparisonSetup, 'columns'>, id: string): number =>
  columns.findIndex((column) => column.id === id) + 1
