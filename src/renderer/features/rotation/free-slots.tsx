import type { PlanView, RotationPlan } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/dialog'
import { Section } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'

type Freeable = RotationPlan['freeable'][number]

interface FreeSlotsProps {
  readonly preview: RotationPlan
  readonly plans: readonly PlanView[]
}

function Question({ preview, plans, of, onClose }: FreeSlotsProps & { of: Freeable; onClose: () => void }) {
  const { t } = useTranslation('rotation')
  const { name: key, keyId } = of
  const origin = plans.find(({ id }) => id === preview.planId)?.origin
  const deleting = useAction('account.deleteKey', {
    invalidates: ['account', 'plans', 'register', 'rotation'],
    onSuccess: () => {
      onClose()
      void toast(t('slots.deleted', { key }))
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('slots.question', { key })}
      description={t('slots.questionText')}
      confirmLabel={t('slots.confirm')}
      typeToConfirm={key}
      busy={deleting.isPending}
      onConfirm={() => origin && deleting.mutate({ ...origin, keyId })}
    >
      {deleting.error ? <ExplainedFailure failure={deleting.error.failure} /> : null}
    </ConfirmDialog>
  )
}

/** Says that the plan has no place for the new key, and which keys a person may delete; nothing goes by itself. */
export function FreeSlots({ preview, plans }: FreeSlotsProps) {
  const { t } = useTranslation(['rotation', 'keys'])
  const [asked, ask] = useState<Freeable>()
  const { slots, freeable, planName, planId } = preview
  return (
    <>
      <Callout
        tone="warning"
        title={t('rotation:slots.title', { most: slots.most, plan: planName })}
        actions={
          <ButtonLink size="sm" to={`/plans/${encodeURIComponent(planId)}?tab=keys`}>
            {t('rotation:slots.toPlan')}
          </ButtonLink>
        }
      >
        {t(freeable.length > 0 ? 'rotation:slots.text' : 'rotation:slots.none')}
      </Callout>
      {freeable.length > 0 ? (
        <Section title={t('rotation:slots.list')}>
          <Rows label={t('rotation:slots.list')}>
            {freeable.map((of) => (
              <Row
                key={of.keyId}
                leading={
                  <RowMark>
                    <KeyRound size={14} strokeWidth={1.8} />
                  </RowMark>
                }
                title={of.name}
                badge={of.status === 'DISABLED' ? <Badge>{t('keys:statuses.DISABLED')}</Badge> : null}
                description={
                  <Facts
                    items={[
                      <span key="made">
                        {t('rotation:slots.made')} <RelativeTime at={of.createdAt} />
                      </span>,
                    ]}
                  />
                }
                trailing={
                  <Button
                    size="sm"
                    aria-label={t('rotation:slots.deleteNamed', { key: of.name })}
                    onClick={() => ask(of)}
                  >
                    {t('rotation:slots.delete')}
                  </Button>
                }
              />
            ))}
          </Rows>
        </Section>
      ) : null}
      {asked ? <Question preview={preview} plans={plans} of={asked} onClose={() => ask(undefined)} /> : null}
    </>
  )
}
