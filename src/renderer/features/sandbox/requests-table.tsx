import type { SandboxRequestView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { type Column, Table } from '../../ui/table'
import styles from './sandbox.module.css'

const page = 25

const toneOf = (status: number): Tone => (status < 300 ? 'success' : status < 400 ? 'neutral' : 'danger')

function useColumns(): readonly Column<SandboxRequestView>[] {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const tokens = ({ inputTokens, outputTokens }: SandboxRequestView) => {
    if (inputTokens === undefined && outputTokens === undefined) return <span className={styles.faint}>–</span>
    const [input, output] = [formats.number(inputTokens ?? 0), formats.number(outputTokens ?? 0)]
    return (
      <span title={t('requests.inOut', { input, output })}>
        {input} → {output}
      </span>
    )
  }
  return [
    {
      id: 'time',
      header: t('requests.time'),
      width: '80px',
      cell: ({ at }) => <time dateTime={at}>{formats.time(at)}</time>,
    },
    {
      id: 'request',
      header: t('requests.request'),
      cell: ({ method, path, modelCode }) => (
        <span className={styles.stack}>
          <code title={`${method} ${path}`}>
            <span className={styles.verb}>{method}</span> {path}
          </code>
          <code className={styles.second} title={t('requests.model')}>
            {modelCode ?? '–'}
          </code>
        </span>
      ),
    },
    {
      id: 'status',
      header: t('requests.status'),
      width: '74px',
      cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
    },
    {
      id: 'client',
      header: t('requests.client'),
      width: '20%',
      cell: ({ client, keyName }) => (
        <span className={styles.stack}>
          <span title={client}>{client ?? '–'}</span>
          <span className={styles.second} title={t('requests.key')}>
            {keyName ?? '–'}
          </span>
        </span>
      ),
    },
    { id: 'tokens', header: t('requests.tokens'), width: '114px', align: 'right', cell: tokens },
    {
      id: 'took',
      header: t('requests.took'),
      width: '80px',
      align: 'right',
      cell: ({ durationMs }) => formats.duration(durationMs),
    },
  ]
}

/** The requests that reached the sandbox, the newest first. */
export function RequestsTable({ requests }: { requests: readonly SandboxRequestView[] }) {
  const { t } = useTranslation('sandbox')
  const [shown, setShown] = useState(page)
  const columns = useColumns()
  const newestFirst = [...requests].sort((a, b) => b.n - a.n)
  const left = newestFirst.length - shown
  return (
    <>
      <div className={styles.requests}>
        <Table
          caption={t('requests.list')}
          columns={columns}
          rows={newestFirst.slice(0, shown)}
          rowKey={({ n }) => n}
        />
      </div>
      {left > 0 ? (
        <div className={styles.more}>
          <Button size="sm" variant="ghost" onClick={() => setShown(shown + page)}>
            {t('requests.more', { count: Math.min(page, left) })}
          </Button>
        </div>
      ) : null}
    </>
  )
}
