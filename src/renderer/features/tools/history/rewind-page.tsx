import type { HistoryEntry, ToolView } from '@shared/contract'
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { BulkWrite, useEntryTexts, useUndoableToast } from './bulk-write'

function RewindForm({ entry, tools }: { readonly entry: HistoryEntry; readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('history')
  const { dateTime } = useFormats()
  const navigate = useNavigate()
  const showToast = useUndoableToast()
  const texts = useEntryTexts(tools)(entry)
  const query = useCall('tools.previewRewind', { entryId: entry.id }, { staleTime: 0, gcTime: 0 })
  const finishRewind = (): void => {
    void navigate('/history', { replace: true })
    void showToast(t('wentBack'))
  }
  return (
    <>
      <PageHeader
        title={t('rewind.title')}
        state={`${texts} ${dateTime(entry.at)}`}
        breadcrumb={[
          { label: t('tools'), to: '/tools' },
          { label: t('title'), to: '/history' },
        ]}
      />
      <BulkWrite
        query={query}
        tools={tools}
        title={t('rewind.changes')}
        description={t('rewind.hint')}
        label={t('rewind.button')}
        outcome={<p>{t('rewind.outcome', { at: dateTime(entry.at) })}</p>}
        onDone={finishRewind}
      />
    </>
  )
}

export function RewindPage() {
  const { t } = useTranslation('history')
  const { entryId = '' } = useParams()
  const historyQuery = useCall('tools.history', {})
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(historyQuery, toolsQuery)} rows={4}>
        {([entries, tools]) => {
          const entry = entries.find(({ id }) => id === entryId)
          return entry ? (
            <RewindForm key={entry.id} entry={entry} tools={tools} />
          ) : (
            <EmptyState
              icon={SearchX}
              title={t('rewind.gone')}
              actions={[{ label: t('rewind.toHistory'), to: '/history' }]}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
