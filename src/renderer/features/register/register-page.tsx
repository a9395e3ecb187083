import { Download, Send, TicketCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { useNow } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Tabs } from '../../ui/tabs'
import { toast } from '../../ui/toast'
import { handoutsPath } from '../handouts/paths'
import { needsPerson } from '../rotation/progress'
import { RotationList } from '../rotation/rotation-list'
import { useRotations } from '../rotation/use-rotations'
import { AcknowledgeDialog } from './acknowledge-dialog'
import { AuditTrail } from './audit-trail'
import { isOld, isUnacknowledged } from './entries'
import { auditPath, registerPath, rotationsPath } from './paths'
import { RegisterList } from './register-list'

/** Saves the register as CSV where the person says. */
function useExport() {
  const { t } = useTranslation('register')
  const words = useFailureWords()
  return useAction('register.export', {
    onSuccess: ({ saved, path }) => {
      if (saved) void toast(t('exported'), path === undefined ? {} : { description: t('exportedHint', { path }) })
    },
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger', description: words(failure).remedy }),
  })
}

function State() {
  const { t } = useTranslation('register')
  const now = useNow()
  const { data } = useCall('register.list', {})
  if (!data || data.length === 0) return <>{t('state')}</>
  const unacknowledged = data.filter(isUnacknowledged).length
  const old = data.filter((entry) => isOld(entry, now)).length
  return (
    <Facts
      items={[
        t('counts', { count: data.length }),
        unacknowledged > 0 && t('unacknowledgedCount', { count: unacknowledged }),
        old > 0 && t('oldCount', { count: old }),
      ]}
    />
  )
}

function Actions({ onEnterCode }: { readonly onEnterCode: () => void }) {
  const { t } = useTranslation('register')
  const exporting = useExport()
  return (
    <>
      <Button icon={Download} busy={exporting.isPending} onClick={() => exporting.mutate({})}>
        {t('export')}
      </Button>
      <Button icon={TicketCheck} title={t('enterCodeHint')} onClick={onEnterCode}>
        {t('enterCode')}
      </Button>
      <ButtonLink variant="primary" icon={Send} to={handoutsPath}>
        {t('handOut')}
      </ButtonLink>
    </>
  )
}

const tabs = [registerPath, rotationsPath, auditPath] as const

/** The key register: keys and their holders, rotations, and the audit trail. */
export function RegisterPage() {
  const { t } = useTranslation('register')
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [query, setQuery] = useSearchParams()
  const { data: rotations = [] } = useRotations()
  const stuck = rotations.filter(needsPerson).length
  const tab = tabs.find((one) => one === pathname) ?? registerPath
  const isEntering = query.get('code') === '1'
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={<State />}
        actions={<Actions onEnterCode={() => setQuery({ code: '1' }, { replace: true })} />}
      />
      <Tabs
        label={t('tabs.label')}
        value={tab}
        onValueChange={(to) => void navigate(to, { replace: true })}
        tabs={[
          { value: registerPath, label: t('tabs.keys'), content: <RegisterList /> },
          {
            value: rotationsPath,
            label: t('tabs.rotations'),
            ...(stuck > 0 ? { note: stuck } : {}),
            content: <RotationList />,
          },
          { value: auditPath, label: t('tabs.audit'), content: <AuditTrail /> },
        ]}
      />
      {isEntering ? <AcknowledgeDialog onClose={() => setQuery({}, { replace: true })} /> : null}
    </Page>
  )
}
