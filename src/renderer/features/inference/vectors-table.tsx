import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Table } from '../../ui/table'
import type { Embedded } from './embeddings-store'
import styles from './inference.module.css'
import { VectorPicture } from './vector-picture'

const shownNumbers = 3

/** What each input became: how many numbers, how long, the first of them. */
export function VectorsTable({ embedded }: { readonly embedded: Embedded }) {
  const { t } = useTranslation('inference')
  const { locale, number } = useFormats()
  const digits = new Intl.NumberFormat(locale, { minimumFractionDigits: 4, maximumFractionDigits: 4 })
  const rows = embedded.embeddings.map((embedding, at) => ({ ...embedding, at, input: embedded.inputs[at] ?? '' }))
  return (
    <Table
      caption={t('embeddings.vectors')}
      rows={rows}
      rowKey={({ at }) => at}
      columns={[
        {
          id: 'input',
          header: t('embeddings.text'),
          cell: ({ at, input }) => (
            <span title={input}>
              <span className={styles.number}>{at + 1}</span> {input}
            </span>
          ),
        },
        {
          id: 'dimensions',
          header: t('embeddings.dimensions'),
          align: 'right',
          width: '100px',
          cell: ({ dimensions }) => number(dimensions),
        },
        {
          id: 'norm',
          header: t('embeddings.norm'),
          align: 'right',
          width: '80px',
          cell: ({ norm }) => digits.format(norm),
        },
        {
          id: 'picture',
          header: t('embeddings.shape'),
          width: '120px',
          cell: ({ preview }) => <VectorPicture numbers={preview} />,
        },
        {
          id: 'numbers',
          header: t('embeddings.numbers'),
          width: '200px',
          cell: ({ preview }) => (
            <span className={styles.numbers} title={preview.map((one) => digits.format(one)).join('  ')}>
              {preview
                .slice(0, shownNumbers)
                .map((one) => digits.format(one))
                .join('  ')}
              {preview.length > shownNumbers ? ' …' : ''}
            </span>
          ),
        },
      ]}
    />
  )
}
