"""Agents as their hooks speak: what each sends, and where its answer says what."""

import json

from tacit.doors.hooks.answer import respond


def stop_in(reason):
    """Give the reason of a denial if the memory stops a command once; the guard's own reasons are not the memory's."""
    return reason if "to proceed anyway" in reason else ""


class Claude:
    """What Claude Code sends, and where its answer says what."""

    name = "claude"
    names_calls = True
    asks = True
    fail = "PostToolUseFailure"

    def __init__(self, cwd):
        self.base = {"transcript_path": "/x", "cwd": str(cwd), "permission_mode": "default"}

    def before(self, session, command, call):
        return {**self.base, "session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": command, "description": "x"}, "tool_use_id": call}  # fmt: skip

    def failed(self, session, command, call, error):
        return {**self.before(session, command, call), "hook_event_name": "PostToolUseFailure", "error": error,
                "is_interrupt": False}  # fmt: skip

    def worked(self, session, command, call):
        response = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse", "tool_response": response}

    def context(self, answer):
        inner = answer.get("hookSpecificOutput", {})
        return inner.get("additionalContext", "") or stop_in(inner.get("permissionDecisionReason", ""))

    def decision(self, answer):
        return answer.get("hookSpecificOutput", {}).get("permissionDecision", "")


class Codex(Claude):
    """The same dialect, but failures come as PostToolUse, and there is no `ask`."""

    name = "codex"
    asks = False

    def failed(self, session, command, call, error):
        response = json.dumps({"output": error, "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse", "tool_response": response,
                "turn_id": "t", "model": "m"}  # fmt: skip

    def worked(self, session, command, call):
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse",
                "tool_response": "Exit code: 0\nWall time: 1 seconds\nOutput:\nok"}  # fmt: skip


class Cursor:
    """Snake case answers, camel case events, output as JSON in a text."""

    name = "cursor"
    names_calls = True
    asks = True

    def __init__(self, cwd):
        self.base = {"generation_id": "g", "model": "m", "cursor_version": "3", "workspace_roots": [str(cwd)]}

    def before(self, session, command, call):
        return {**self.base, "conversation_id": session, "hook_event_name": "preToolUse", "tool_name": "Shell",
                "tool_input": {"command": command}, "tool_use_id": call}  # fmt: skip

    def failed(self, session, command, call, error):
        return {**self.before(session, command, call), "hook_event_name": "postToolUseFailure", "error_message": error,
                "failure_type": "error", "is_interrupt": False}  # fmt: skip

    def worked(self, session, command, call):
        output = json.dumps({"output": "ok", "exitCode": 0})
        return {**self.before(session, command, call), "hook_event_name": "postToolUse", "tool_output": output}

    def context(self, answer):
        return answer.get("agent_message", "") + answer.get("additional_context", "")

    def decision(self, answer):
        return answer.get("permission", "")


class Gemini:
    """Other events, no ids, and only a denial before a tool; the exit code is in the text for the model."""

    name = "gemini"
    names_calls = False
    asks = False

    def __init__(self, cwd):
        self.base = {"transcript_path": "/x", "cwd": str(cwd), "timestamp": "2026-11-16T05:15:14.129Z"}

    def before(self, session, command, call):
        return {**self.base, "session_id": session, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
                "tool_input": {"command": command}}  # fmt: skip

    def _after(self, session, command, output):
        response = {"llmContent": f"<untrusted_context>\nOutput: {output}\n</untrusted_context>"}
        return {**self.before(session, command, ""), "hook_event_name": "AfterTool", "tool_response": response}

    def failed(self, session, command, call, error):
        return self._after(session, command, f"{error}\nExit Code: 1\nProcess Group PGID: 26419")

    def worked(self, session, command, call):
        return self._after(session, command, "ok\nProcess Group PGID: 26507")

    def context(self, answer):
        inner = answer.get("hookSpecificOutput", {})
        return inner.get("additionalContext", "") or stop_in(answer.get("reason", ""))

    def decision(self, answer):
        return answer.get("decision", "")


class Copilot(Claude):
    """Claude Code's events and answers before a tool, without ids; the exit code is in the last line."""

    name = "copilot"
    names_calls = False

    def before(self, session, command, call):
        return {name: value for name, value in super().before(session, command, call).items() if name != "tool_use_id"}

    def _after(self, session, command, output, code):
        text = f"{output}\n<shellId: 0 completed with exit code {code}>"
        return {**self.before(session, command, ""), "hook_event_name": "PostToolUse",
                "tool_result": {"result_type": "success", "text_result_for_llm": text}}  # fmt: skip

    def failed(self, session, command, call, error):
        return self._after(session, command, error, 1)

    def worked(self, session, command, call):
        return self._after(session, command, "ok", 0)


class OpenCode(Claude):
    """What our plugin sends: Claude Code's payloads with OpenCode's tools."""

    name = "opencode"
    asks = False

    def _after(self, session, command, call, output, code):
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse",
                "tool_response": {"output": output, "metadata": {"exit": code}}}  # fmt: skip

    def before(self, session, command, call):
        return {**super().before(session, command, call), "tool_name": "bash"}

    def failed(self, session, command, call, error):
        return self._after(session, command, call, error, 1)

    def worked(self, session, command, call):
        return self._after(session, command, call, "ok", 0)


class Cline:
    """What an event says is in an object named after it; the answer cancels, or adds context."""

    name = "cline"
    names_calls = False
    asks = False

    def __init__(self, cwd):
        self.base = {"clineVersion": "3", "timestamp": "1", "workspaceRoots": [str(cwd)], "userId": "u"}

    def before(self, session, command, call):
        inner = {"toolName": "execute_command", "parameters": {"command": command}}
        return {**self.base, "taskId": session, "hookName": "PreToolUse", "preToolUse": inner}

    def _after(self, session, command, output, success):
        inner = {"toolName": "execute_command", "parameters": {"command": command}, "executionTimeMs": 5}
        inner |= {"result": output, "success": success}
        return {**self.base, "taskId": session, "hookName": "PostToolUse", "postToolUse": inner}

    def failed(self, session, command, call, error):
        return self._after(session, command, error, False)

    def worked(self, session, command, call):
        return self._after(session, command, "ok", True)

    def context(self, answer):
        return answer.get("contextModification", "") or stop_in(answer.get("errorMessage", ""))

    def decision(self, answer):
        return "deny" if answer.get("cancel") else ""


AGENTS = [Claude, Codex, Cursor, Gemini, Copilot, OpenCode, Cline]


def hook(agent, payload):
    return respond(agent, json.dumps(payload).encode())


def memory_here():
    """Open the memory of the working directory."""
    from tacit.app.open import connect, current_caller, current_settings

    settings = current_settings()
    return connect(settings, current_caller(settings))
