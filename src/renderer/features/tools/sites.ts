import type { SetupView, Site, ToolLocation, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'

export const userSite: Site = { kind: 'user' }

/** Formats a scope (user, project or WSL distribution) as text for URLs and keys. */
export const formatSiteKey = (site: Site): string =>
  site.kind === 'project' ? `project:${site.folder}` : site.kind === 'wsl' ? `wsl:${site.distribution}` : 'user'

/** Parses the result of `formatSiteKey`. Returns the user's home for any other text. */
export function readSite(text: string | null): Site {
  const [, kind, location = ''] = /^(project|wsl):(.+)$/s.exec(text ?? '') ?? []
  if (kind === 'project') return { kind, folder: location }
  return kind === 'wsl' ? { kind, distribution: location } : userSite
}

/** Key that identifies a setup in this window. It is the tool's id if the setup is in the user's home. */
export const setupKey = (toolId: string, site: Site): string =>
  site.kind === 'user' ? toolId : `${toolId} ${formatSiteKey(site)}`

/** Input that identifies a setup in calls. The contract requires `site` to be omitted for the user's home. */
export const toToolLocation = (toolId: string, site: Site): ToolLocation =>
  site.kind === 'user' ? { toolId } : { toolId, site }

export type SiteTool = ToolView & { readonly site: Site }

/** The tool with the setup of one scope in place of the setup in the user's home. */
export function toSiteTool(tool: ToolView, site: Site): SiteTool {
  if (site.kind === 'user') return { ...tool, site }
  const { applied, conflicts, found, problem, relayOff, isOutdated, ...rest } = tool
  const setup = tool.setups.find((candidate) => formatSiteKey(candidate.site) === formatSiteKey(site))
  return { ...rest, status: 'absent', drift: [], file: '', files: [], ...setup, site }
}

/** All setups of a tool. The setup in the user's home comes first. */
export const listSetups = (tool: ToolView): readonly SetupView[] => [{ ...tool, site: userSite }, ...tool.setups]

/** Name of a tool. Falls back to its id. */
export const findToolName = (tools: readonly Pick<ToolView, 'id' | 'name'>[], toolId: string): string =>
  tools.find(({ id }) => id === toolId)?.name ?? toolId

export const usesPlan = (tool: ToolView, planId: string | undefined): boolean =>
  planId !== undefined && listSetups(tool).some(({ applied }) => applied?.planId === planId)

export function useFormatSite(): (site: Site) => string {
  const { t } = useTranslation('tools')
  return (site) => {
    if (site.kind === 'project') {
      const name = site.folder.split(/[/\\]/).filter(Boolean).at(-1) ?? site.folder
      return t('sites.inProject', { name })
    }
    return site.kind === 'wsl' ? t('sites.inWsl', { name: site.distribution }) : t('sites.user')
  }
}
