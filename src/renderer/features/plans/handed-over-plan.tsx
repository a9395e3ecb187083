import type { PlanView } from '@shared/contract'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { KeyValue } from '../../ui/key-value'
import { Menu } from '../../ui/menu'
import { Card, PageHeader, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { EditPlanSheet } from './edit-plan-sheet'
import { Expiry } from './expiry'
import { PlanCheck } from './plan-check'
import { PlanGateway } from './plan-gateway'
import { PlanKey } from './plan-key'
import { PlanModels } from './plan-models'
import { PlanTools } from './plan-tools'
import { RemovePlanDialog } from './remove-plan-dialog'

interface HeaderProps {
  readonly plan: PlanView
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function Header({ plan, onEdit, onRemove }: HeaderProps) {
  const { t } = useTranslation('plans')
  const { t: common } = useTranslation('common')
  return (
    <PageHeader
      title={plan.name}
      breadcrumb={[{ label: t('title'), to: '/plans' }]}
      badge={<Badge>{t(`sources.${plan.source}`)}</Badge>}
      state={
        <Facts
          items={[
            plan.gatewayUrl,
            t('modelsCount', { count: plan.models.length }),
            plan.expiresAt !== undefined && (
              <Expiry key="expiry" expiresAt={plan.expiresAt} aheadMs={plan.aheadMs} inSentence />
            ),
          ]}
        />
      }
      actions={
        <>
          <Button icon={Pencil} onClick={onEdit}>
            {t('page.edit')}
          </Button>
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={common('more')} />}
            items={[{ label: t('page.remove'), icon: Trash2, danger: true, onSelect: onRemove }]}
          />
        </>
      }
    />
  )
}

function General({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  return (
    <Section title={t('page.general')}>
      <Card>
        <KeyValue
          items={[
            {
              label: t('page.source'),
              value: t(`sources.${plan.source}`),
            },
            { label: t('page.added'), value: <RelativeTime at={plan.createdAt} /> },
            { label: t('page.expiry'), value: <Expiry expiresAt={plan.expiresAt} aheadMs={plan.aheadMs} /> },
            {
              label: t('page.context'),
              value: (
                <span className="tabular">{t('page.tokens', { amount: formats.number(plan.contextTokens) })}</span>
              ),
            },
          ]}
        />
      </Card>
    </Section>
  )
}

type Opened = 'edit' | 'remove' | 'paste' | undefined

/** A plan of which only a key is known here: check it, see where its tools call, its models and its key. */
export function HandedOverPlan({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const [opened, setOpened] = useState<Opened>(
    query.get('edit') === '1' ? 'edit' : query.get('paste') === '1' ? 'paste' : undefined,
  )
  const [isFresh, setIsFresh] = useState(false)
  const clearQuery = useCallback(() => {
    setIsFresh(false)
    setQuery({}, { replace: true })
  }, [setQuery])
  const removed = (): void => {
    void navigate('/plans', { replace: true })
    void toast(t('remove.removed', { name: plan.name }))
  }
  const close = (): void => setOpened(undefined)
  return (
    <>
      <Header plan={plan} onEdit={() => setOpened('edit')} onRemove={() => setOpened('remove')} />
      <PlanCheck
        plan={plan}
        isAsked={query.get('check') === '1' || isFresh}
        onAsked={clearQuery}
        onPasteKey={() => setOpened('paste')}
        onEdit={() => setOpened('edit')}
      />
      <PlanTools plan={plan} />
      <PlanGateway gatewayUrl={plan.gatewayUrl} />
      <PlanModels plan={plan} />
      <PlanKey
        plan={plan}
        isReplacing={opened === 'paste'}
        setIsReplacing={(isReplacing) => setOpened(isReplacing ? 'paste' : undefined)}
        onReplaced={() => setIsFresh(true)}
      />
      <General plan={plan} />
      {opened === 'edit' ? <EditPlanSheet plan={plan} onClose={close} /> : null}
      {opened === 'remove' ? <RemovePlanDialog plan={plan} onClose={close} onRemoved={removed} /> : null}
    </>
  )
}
