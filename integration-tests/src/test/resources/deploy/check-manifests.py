"""Checks manifests of Kubernetes, strictly, against the schemas of its API and of resource definitions, and prints them as JSON.

Usage: check-manifests.py VERSION DEFINITIONS FILE...

DEFINITIONS is a directory of CustomResourceDefinitions (YAML). Output: {FILE: [document, ...]}. Errors go to the standard error stream, one
line each; exit status 1 if there are any. Unknown fields and keys that are given twice are errors.
"""

import json
import pathlib
import re
import sys

import jsonschema
import kubernetes_validate
import yaml


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML in which no key comes twice: the API server would take one of them without a word."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for key in {str(key) for key in keys if keys.count(key) > 1}:
            raise yaml.constructor.ConstructorError(None, None, f"key {key} is there twice", node.start_mark)
        return super().construct_mapping(node, deep)


def closed(schema):
    """The same schema, with unknown fields refused wherever fields are named."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        result.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        result.pop("type", None)
    if isinstance(schema.get("pattern"), str):
        # Go permits flags at any position.
        result["pattern"] = re.sub(r"^\^\(\?i\)", "(?i)^", schema["pattern"])
    return result


def definitions(directory, kinds):
    found = {}
    for kind in kinds:
        for file in pathlib.Path(directory).glob(f"*_{kind.lower()}s.yaml"):
            definition = yaml.load(file.read_text(), Loader)["spec"]
            for version in definition["versions"]:
                schema = closed(version["schema"]["openAPIV3Schema"])
                # Every object has these; definitions omit their fields.
                schema["properties"]["metadata"] = {"type": "object"}
                found[f"{definition['group']}/{version['name']}", kind] = schema
    return found


def check(document, version, custom):
    kind = document.get("apiVersion"), document.get("kind")
    if kind in custom:
        jsonschema.validate(document, custom[kind])
    else:
        kubernetes_validate.validate(document, version, strict=True)


def main():
    version, directory, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    manifests, errors = {}, []
    for file in files:
        try:
            manifests[file] = [part for part in yaml.load_all(pathlib.Path(file).read_text(), Loader) if part is not None]
        except yaml.YAMLError as error:
            errors.append(f"{file}: {error}")
    kinds = {part.get("kind", "") for parts in manifests.values() for part in parts if "monitoring.coreos.com" in part.get("apiVersion", "")}
    custom = definitions(directory, kinds)
    for file, parts in manifests.items():
        for part in parts:
            name = f"{file}: {part.get('kind')} {part.get('metadata', {}).get('name')}"
            try:
                check(part, version, custom)
            except jsonschema.ValidationError as error:
                errors.append(f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message}")
            except Exception as error:
                errors.append(f"{name}: {error}")
    json.dump(manifests, sys.stdout)
    sys.exit("\n".join(errors) if errors else 0)


if __name__ == "__main__":
    main()
