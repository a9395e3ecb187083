import type { PlaygroundTarget } from '@shared/contract'
import { MessageSquareText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { newPath } from '../connections/paths'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './chat.module.css'
import { TargetSelect } from './target-select'

/** There is no plan and no connection: how to get one, or to look around without. */
export function Nobody({ onLocal }: { readonly onLocal: (target: PlaygroundTarget) => void }) {
  const { t } = useTranslation('playground')
  const opening = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools', 'connections', 'playground'] })
  return (
    <div className={styles.first}>
      <EmptyState
        icon={MessageSquareText}
        title={t('empty.nobody')}
        actions={
          <>
            <Button busy={opening.isPending} onClick={() => opening.mutate({})}>
              {t('empty.sandbox')}
            </Button>
            <ButtonLink to={newPath}>{t('empty.addConnection')}</ButtonLink>
            <ButtonLink variant="primary" to="/plans/new">
              {t('empty.addPlan')}
            </ButtonLink>
          </>
        }
      >
        {t('empty.nobodyText')}
      </EmptyState>
      {opening.error ? (
        <ExplainedFailure
          failure={opening.error.failure}
          handlers={{ tryAgain: () => opening.mutate({}), anotherPort: () => opening.mutate({ anotherPort: true }) }}
        />
      ) : null}
      <div className={styles.local}>
        <p>{t('empty.local')}</p>
        <TargetSelect label={t('empty.local')} kinds={['local']} value={undefined} onChange={onLocal} />
      </div>
    </div>
  )
}
