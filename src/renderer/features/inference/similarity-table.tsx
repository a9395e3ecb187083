import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import type { Embedded } from './embeddings-store'
import styles from './inference.module.css'

const strongest = 42

/** The colour of a cell: the more alike, the more of the accent. */
const colour = (similarity: number): string =>
  `color-mix(in srgb, var(--accent) ${Math.round(Math.max(0, Math.min(1, similarity)) * strongest)}%, transparent)`

/** How alike the inputs are, two by two: a number in every cell, and the more alike the stronger its colour. */
export function SimilarityTable({ embedded }: { readonly embedded: Embedded }) {
  const { t } = useTranslation('inference')
  const { locale } = useFormats()
  const digits = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  const { inputs, similarity } = embedded
  const rows = similarity.map((cells, row) => ({
    row,
    cells: cells.map((value, column) => ({ value, column })),
  }))
  return (
    <div className={styles.heatFrame}>
      <table className={styles.heat}>
        <caption className="sr-only">{t('embeddings.similarity')}</caption>
        <thead>
          <tr>
            <td />
            {rows.map(({ row }) => (
              <th key={row} scope="col" title={inputs[row]}>
                {row + 1}
                <span className="sr-only">: {inputs[row]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells }) => (
            <tr key={row}>
              <th scope="row" title={inputs[row]}>
                <span className={styles.number}>{row + 1}</span> {inputs[row]}
              </th>
              {cells.map(({ value, column }) => (
                <td key={column} style={{ backgroundColor: colour(value) }}>
                  {digits.format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
