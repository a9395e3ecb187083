import type { Site } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { Field } from '../../ui/field'
import { Select, type SelectOption } from '../../ui/select'
import { readSite, siteText, type ToolHere, userSite } from './sites'
import { toolPath } from './tool-status'
import { useSiteWords } from './use-site-words'

/** Begins with a space, so that it is no site. */
const anotherFolder = ' folder'

/** Asks for a project's folder and opens the tool's page for it. */
export function useChooseProject(toolId: string): () => void {
  const navigate = useNavigate()
  const { mutate } = useAction('tools.chooseProject', {
    onSuccess: ({ folder }) => {
      if (folder !== undefined) void navigate(toolPath(toolId, 'configure', { kind: 'project', folder }))
    },
  })
  return () => mutate({})
}

/** The sites that can be chosen for a tool: this user, the known project folders, and the Linux distributions on Windows. */
function useSites(tool: ToolHere): readonly Site[] {
  const { data: distributions = [] } = useCall('tools.distributions', {}, { enabled: tool.sites.includes('wsl') })
  const known = tool.setups.map(({ site }) => site)
  const all: readonly Site[] = [
    userSite,
    tool.site,
    ...known,
    ...distributions.map((distribution): Site => ({ kind: 'wsl', distribution })),
  ]
  return all.filter((site, at) => all.findIndex((other) => siteText(other) === siteText(site)) === at)
}

/** Where the tool is set up: for this user, for a project alone, or in a Linux distribution; nothing when there is no choice. */
export function SiteField({ tool }: { readonly tool: ToolHere }) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const siteWords = useSiteWords()
  const sites = useSites(tool)
  const chooseProject = useChooseProject(tool.id)
  const canProject = tool.sites.includes('project')
  if (sites.length === 1 && !canProject) return null
  const options: readonly SelectOption[] = [
    ...sites.map((site) => ({
      value: siteText(site),
      label: siteWords(site),
      hint: site.kind === 'project' ? site.folder : undefined,
    })),
    ...(canProject ? [{ value: anotherFolder, label: t('sites.choose') }] : []),
  ]
  return (
    <Field label={t('sites.label')}>
      <Select
        value={siteText(tool.site)}
        options={options}
        onValueChange={(value) => {
          if (value === anotherFolder) chooseProject()
          else void navigate(toolPath(tool.id, 'configure', readSite(value)))
        }}
      />
    </Field>
  )
}
