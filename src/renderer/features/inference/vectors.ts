import Papa from 'papaparse'
import type { Embedded } from './embeddings-store'

/** What came, as JSON for other programs. */
export const asJson = ({ run, inputs, embeddings, similarity }: Embedded): string =>
  JSON.stringify(
    {
      model: run.target.modelCode,
      embeddings: embeddings.map((embedding, at) => ({ input: inputs[at], ...embedding })),
      similarity,
    },
    undefined,
    2,
  )

/** The similarities as a table with the inputs in its first row and column. */
export const asCsv = ({ inputs, similarity }: Embedded): string =>
  Papa.unparse([['', ...inputs], ...similarity.map((row, at) => [inputs[at] ?? '', ...row])], { escapeFormulae: true })
