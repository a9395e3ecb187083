import { Cable, FileDown, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { ConnectionRow } from './connection-row'
import { newDraft, useDrafts } from './drafts'
import { ImportFailure } from './import-failure'
import { newPath } from './paths'
import { useImport } from './use-import'
import { useTitleFocus } from './use-title-focus'

function Unsaved() {
  const { t } = useTranslation('connections')
  const draft = useDrafts(({ drafts }) => drafts[newDraft])
  const keep = useDrafts((store) => store.keep)
  if (!draft) return null
  const name = draft.entries.name.trim()
  return (
    <Callout
      tone="warning"
      title={name === '' ? t('draft.added') : t('draft.addedNamed', { name })}
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={() => keep(newDraft, undefined)}>
            {t('form.discard')}
          </Button>
          <ButtonLink size="sm" to={newPath}>
            {t('draft.goOn')}
          </ButtonLink>
        </>
      }
    >
      {t('draft.kept')}
    </Callout>
  )
}

interface WaysProps {
  readonly isReading: boolean
  readonly onFile: () => void
}

function Ways({ isReading, onFile }: WaysProps) {
  const { t } = useTranslation('connections')
  return (
    <>
      <Button icon={FileDown} busy={isReading} onClick={onFile}>
        {t('fromFile')}
      </Button>
      <ButtonLink variant="primary" icon={Plus} to={newPath}>
        {t('add')}
      </ButtonLink>
    </>
  )
}

/** All connections; one is in use. */
export function ConnectionList() {
  const { t } = useTranslation('connections')
  const navigate = useNavigate()
  const connections = useCall('connections.list', {})
  useTitleFocus()
  const file = useImport(undefined, () => void navigate(newPath))
  const ways = <Ways isReading={file.isReading} onFile={file.choose} />
  return (
    <Page>
      <PageHeader title={t('title')} state={t('state')} actions={connections.data?.length ? ways : null} />
      {file.failure ? <ImportFailure failure={file.failure} onRetry={file.choose} /> : null}
      <Unsaved />
      <Loaded query={connections} skeleton={<SkeletonRows rows={3} />}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={Cable} title={t('empty.title')} actions={ways}>
              {t('empty.text')}
            </EmptyState>
          ) : (
            <Rows label={t('list')}>
              {all.map((one) => (
                <ConnectionRow key={one.id} connection={one} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  )
}
