import { PackageOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { AcceptedKitView } from './accepted-kit'
import { LockedKit } from './locked-kit'
import { OpenedKit } from './opened-kit'
import { OwnRecipient } from './own-recipient'
import { type OpenKit, useOpenKit } from './use-open-kit'

function Choose({ state }: { readonly state: OpenKit }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  return (
    <EmptyState
      icon={PackageOpen}
      title={t('empty')}
      actions={
        <Button variant="primary" busy={state.choosing.isPending} onClick={state.choose}>
          {t('choose')}
        </Button>
      }
    >
      {t('emptyText')}
    </EmptyState>
  )
}

function Stage({ state }: { readonly state: OpenKit }) {
  const { kit, content, accepted } = state
  if (accepted) return <AcceptedKitView kit={accepted} onAnother={state.another} />
  if (content) return <OpenedKit content={content} state={state} />
  return kit ? <LockedKit state={state} kit={kit} /> : <Choose state={state} />
}

/** Opens a kit that somebody made: the file, what opens it, who and what, then keep it and send the code back. */
export function OpenKitPage() {
  const { t } = useTranslation(['handouts', 'plans'])
  const state = useOpenKit()
  const failure = state.choosing.error?.failure
  return (
    <Page width="narrow">
      <PageHeader
        title={t('handouts:open.title')}
        state={state.accepted ? null : t('handouts:open.state')}
        breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
      />
      {failure ? (
        <ExplainedFailure failure={failure} handlers={{ chooseFile: state.choose, tryAgain: state.choose }} />
      ) : null}
      <Stage state={state} />
      {state.accepted || state.content ? null : <OwnRecipient />}
    </Page>
  )
}
