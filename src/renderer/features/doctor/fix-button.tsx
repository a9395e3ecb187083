import type { DoctorFix, Finding } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { call, useCall } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { toast } from '../../ui/toast'
import { planPath } from '../plans/use-plan-menu'
import { type ToolHere, toolAt } from '../tools/sites'
import { toolPath } from '../tools/tool-status'
import { useShowFile } from '../tools/use-show-file'

interface FixProps {
  readonly finding: Finding
  readonly tool: ToolHere
  readonly onRetry: () => void
}

/** Where a fix is a place of the window. */
function usePlaces({ id, site, applied }: ToolHere): Partial<Record<DoctorFix, string>> {
  const { data: plans = [] } = useCall('plans.list', {})
  const plan = plans.find((one) => one.id === applied?.planId)
  const configure = toolPath(id, 'configure', site)
  return {
    applyAgain: configure,
    chooseModel: configure,
    chooseKey: configure,
    undo: toolPath(id, 'undo', site),
    // The keys of an account's plan come from the account, not from the clipboard.
    replaceKey: applied ? `${planPath(applied.planId)}${plan?.origin ? '?tab=keys' : '?paste=1'}` : configure,
  }
}

const isPath = (text: string | undefined): text is string => text !== undefined && /^(?:[a-z]:)?[\\/]/i.test(text)

/** What a person types, or the page they open, to install a tool. */
const installText = ({ install }: ToolHere): string | undefined =>
  install && ('command' in install ? install.command : install.url)

function useCopy(): (text: string | undefined) => void {
  const { t } = useTranslation(['doctor', 'common'])
  return (text) => {
    if (text === undefined) return
    call('app.copyText', { text }).then(
      () => toast(t('doctor:copied'), { description: text }),
      () => toast(t('common:copyFailed'), { tone: 'danger' }),
    )
  }
}

/** What a fix does right here. */
function useFix({ finding, tool, onRetry }: FixProps): Partial<Record<DoctorFix, () => void>> {
  const showFile = useShowFile()
  const copy = useCopy()
  const { subject, text } = finding
  return {
    openFile: () => showFile({ ...toolAt(tool.id, tool.site), ...(isPath(subject) ? { path: subject } : {}) }),
    copyLine: () => copy(text),
    install: () => copy(installText(tool)),
    unlockKeychain: () => void call('app.recheckVault', {}).then(onRetry, onRetry),
    startRelay: () => void call('relay.start', {}).then(onRetry, onRetry),
    retry: onRetry,
  }
}

/** The button that does something about a finding; nothing for one that names no fix. */
export function FixButton(props: FixProps) {
  const { t } = useTranslation('doctor')
  const fixes = useFix(props)
  const places = usePlaces(props.tool)
  const { fix, text } = props.finding
  if (fix === undefined) return null
  if ((fix === 'copyLine' && text === undefined) || (fix === 'install' && !installText(props.tool))) return null
  const place = places[fix]
  if (place !== undefined) {
    return (
      <ButtonLink size="sm" to={place}>
        {t(`fixes.${fix}`)}
      </ButtonLink>
    )
  }
  return (
    <Button size="sm" onClick={fixes[fix]}>
      {t(`fixes.${fix}`)}
    </Button>
  )
}
