import type { SandboxArea, SandboxRequestView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Stack } from '../../ui/stack'
import { type Column, Table } from '../../ui/table'
import styles from './sandbox.module.css'

const page = 25
const tokensColumn = 'tokens'

const toneOf = (status: number): Tone => (status < 300 ? 'success' : status < 400 ? 'neutral' : 'danger')

function useColumns(area: SandboxArea): readonly Column<SandboxRequestView>[] {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const second = area === 'gateway' ? 'model' : 'operation'
  const tokens = ({ inputTokens, outputTokens }: SandboxRequestView) => {
    if (inputTokens === undefined && outputTokens === undefined) return <span className={styles.faint}>–</span>
    const [input, output] = [formats.number(inputTokens ?? 0), formats.number(outputTokens ?? 0)]
    return (
      <span title={t('requests.inOut', { input, output })}>
        {input} → {output}
      </span>
    )
  }
  const columns: readonly Column<SandboxRequestView>[] = [
    {
      id: 'time',
      header: t('requests.time'),
      width: '92px',
      cell: ({ at }) => <time dateTime={at}>{formats.time(at)}</time>,
    },
    {
      id: 'request',
      header: t(`requests.${second}Header`),
      cell: ({ method, path, modelCode, operation }) => (
        <Stack>
          <code title={`${method} ${path}`}>
            <span className={styles.verb}>{method}</span> {path}
          </code>
          <code className={styles.second} title={t(`requests.${second}`)}>
            {(area === 'gateway' ? modelCode : operation) ?? '–'}
          </code>
        </Stack>
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
      header: t(area === 'gateway' ? 'requests.clientAndKey' : 'requests.client'),
      width: '20%',
      cell: ({ client, keyName }) => (
        <Stack>
          <span title={client}>{client ?? '–'}</span>
          {area === 'gateway' ? (
            <span className={styles.second} title={t('requests.key')}>
              {keyName ?? '–'}
            </span>
          ) : null}
        </Stack>
      ),
    },
    { id: tokensColumn, header: t('requests.tokens'), width: '114px', align: 'right', cell: tokens },
    {
      id: 'took',
      header: t('requests.took'),
      width: '80px',
      align: 'right',
      cell: ({ durationMs }) => formats.duration(durationMs),
    },
  ]
  return area === 'gateway' ? columns : columns.filter(({ id }) => id !== tokensColumn)
}

/** The requests that reached one listener of the sandbox, the newest first. Those of the platform have an operation and no tokens. */
export function RequestsTable({
  area,
  requests,
}: {
  readonly area: SandboxArea
  readonly requests: readonly SandboxRequestView[]
}) {
  const { t } = useTranslation('sandbox')
  const [shown, setShown] = useState(page)
  const columns = useColumns(area)
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
