// Sends what happens in OpenCode to the hook program of tacit, as Claude Code would, and passes on what it answers.
// A command is stopped by an error with the reason; context goes into the system prompt or behind a tool's output.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const LINE = ["@LINE@"]
const WAIT_MS = 10000
const TOOLS = ["bash", "write", "edit", "multiedit", "patch", "apply_patch"]

function database() {
  const state = process.env.XDG_DATA_HOME || join(process.env.HOME || "", ".local", "share")
  const path = join(process.env.OPENCODE_DATA_DIR || join(state, "opencode"), "opencode.db")
  return existsSync(path) ? path : ""
}

function start(event, payload, options) {
  const child = spawn(LINE[0], [...LINE.slice(1), "opencode", event], options)
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
  return child
}

// Gives the answer. If the program is gone, slow or broken, what is about to run is refused, and the rest is empty.
function ask(event, payload) {
  const why = `tacit could not judge this: ${LINE[0]} does not answer; install tacit again, or remove this plugin`
  const none = event === "PreToolUse" ? { permissionDecision: "deny", permissionDecisionReason: why } : {}
  return new Promise((resolve) => {
    let said = ""
    try {
      const child = start(event, payload, { stdio: ["pipe", "pipe", "ignore"], timeout: WAIT_MS })
      child.on("error", () => resolve(none))
      child.stdout.on("data", (part) => { said += part })
      child.on("close", () => {
        try { resolve(JSON.parse(said).hookSpecificOutput || {}) } catch { resolve(none) }
      })
    } catch { resolve(none) }
  })
}

// Nobody waits for this one, and it may outlive OpenCode.
function tell(event, payload) {
  try { start(event, payload, { stdio: ["pipe", "ignore", "ignore"], detached: true }).unref() } catch {}
}

export const Tacit = async ({ directory }) => {
  const begun = new Map() // session -> what its start was told
  const prompted = new Map() // session -> what its last prompt was told
  const held = new Map() // call -> what is told behind its output
  const base = (session) => ({ session_id: session, cwd: directory, transcript_path: database() })
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!begun.has(session)) {
        begun.set(session, "")
        const answer = await ask("SessionStart", { ...base(session), source: "startup" })
        begun.set(session, answer.additionalContext || "")
      }
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      const answer = prompt ? await ask("UserPromptSubmit", { ...base(session), prompt }) : {}
      prompted.set(session, answer.additionalContext || "")
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const told of [begun.get(input.sessionID), prompted.get(input.sessionID)]) if (told) output.system.push(told)
    },
    "tool.execute.before": async (input, output) => {
      if (!TOOLS.includes(input.tool)) return
      const answer = await ask("PreToolUse", {
        ...base(input.sessionID), tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID,
      })
      if (answer.permissionDecision === "deny") throw new Error(`Stopped by tacit: ${answer.permissionDecisionReason}`)
      if (answer.additionalContext) held.set(input.callID, answer.additionalContext)
    },
    "tool.execute.after": async (input, output) => {
      if (!TOOLS.includes(input.tool)) return
      const payload = {
        ...base(input.sessionID), tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID,
        tool_response: { output: output.output, metadata: { exit: output.metadata?.exit } },
      }
      const answer = await ask("PostToolUse", payload)
      const told = [held.get(input.callID), answer.additionalContext].filter(Boolean)
      held.delete(input.callID)
      if (told.length) output.output = [output.output, ...told].join("\n\n")
    },
    "experimental.session.compacting": async (input) => tell("PreCompact", base(input.sessionID)),
    event: async ({ event }) => {
      if (event.type === "session.idle") tell("Stop", base(event.properties.sessionID))
    },
  }
}
