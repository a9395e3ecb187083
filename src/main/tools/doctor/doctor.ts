import type { DoctorReport, Site } from '@shared/contract'
import type { WrittenTarget } from '../target'
import type { DoctorDeps } from './facts'
import { runDiagnostics } from './run-diagnostics'

/** What this feature needs of the tools. */
export interface DoctorPorts {
  /** A tool that this app writes files of, by id. Fails with `tool.notFound` or `tool.notWritten`. */
  readonly target: (toolId: string) => WrittenTarget
  /** What the examination of a tool at a site needs. Fails with `file.unreadable` where there is no such site. */
  readonly depsAt: (target: WrittenTarget, site: Site) => Promise<Omit<DoctorDeps, 'site' | 'signal'>>
}

/** Which tool to examine; this user's home when no site is named. */
interface DoctorQuestion {
  readonly toolId: string
  readonly site?: Site | undefined
  readonly signal?: AbortSignal | undefined
}

/** Looks for what keeps a configured tool from working. */
export class Doctor {
  readonly #ports: DoctorPorts

  constructor(ports: DoctorPorts) {
    this.#ports = ports
  }

  /** Examines one tool; sends one real request, which costs a few tokens. Fails with `net.cancelled` when it is left. */
  async run({ toolId, site = { kind: 'user' }, signal }: DoctorQuestion): Promise<DoctorReport> {
    const target = this.#ports.target(toolId)
    return runDiagnostics(target, { ...(await this.#ports.depsAt(target, site)), site, signal })
  }
}
